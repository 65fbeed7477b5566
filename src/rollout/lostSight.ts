import type { EngineError } from '../engine/engine.ts'
import { DeployError } from '../errors.ts'

/** The way to the swarm is gone while it is watched: saying anything of the stack would be a guess. */
export function lostSight(error: EngineError): DeployError {
  return new DeployError(
    'connection',
    'The stack was still converging when the way to the swarm was lost (Swarm itself goes on).',
    {
      cause: error,
      remedy: 'Run it again: what is as wanted is left alone, and the wait begins anew.',
    },
  )
}
