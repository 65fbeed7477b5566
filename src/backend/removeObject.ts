import { EngineError } from '../engine/engine.ts'
import { ATTEMPTS, isKind, isUnclear, pause, type Writing, write } from './writing.ts'

/**
 * Removes one thing of the swarm by its id. One that is not there any more counts as removed, whoever did it; a lost call is made again,
 * which can't remove anything else. Throws the engine's refusal.
 */
export async function removeObject(
  {
    kind,
    id,
    name,
  }: {
    readonly kind: 'service' | 'config' | 'secret' | 'network' | 'volume'
    readonly id: string
    readonly name: string
  },
  writing: Writing,
): Promise<void> {
  const { engine } = writing
  const { journal, signal } = writing.settings
  const calls = {
    service: () => engine.removeService(id),
    config: () => engine.removeConfig(id),
    secret: () => engine.removeSecret(id),
    network: () => engine.removeNetwork(id),
    volume: () => engine.removeVolume(id),
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(writing, `${kind} ${name}`, calls[kind])
    } catch (error) {
      if (isKind(error, 'not-found')) {
        journal.start(`${kind} ${name}`)
        journal.done(`${kind} ${name}`)
        return
      }
      if (!isUnclear(error) || (error instanceof EngineError && error.isFinal) || attempt === ATTEMPTS) throw error
      await pause(attempt, signal)
    }
  }
}
