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
      if (isKind(error, 'not-found') || isGoneFromSwarm(error)) {
        journal.start(`${kind} ${name}`)
        journal.done(`${kind} ${name}`)
        return
      }
      if (!(error instanceof EngineError)) throw error
      if (!isUnclear(error) || error.isFinal || attempt === ATTEMPTS) throw withName(error, id, name)
      await pause(attempt, signal)
    }
  }
}

/**
 * A network that Swarm has dropped, and a node still lists until its last container is gone: the answer is 500 then, not 404.
 * Source: moby daemon/cluster/networks.go.
 */
function isGoneFromSwarm(error: unknown): boolean {
  return isKind(error, 'refused') && error instanceof Error && /: network \S+ not found$/.test(error.message)
}

/** The engine speaks of ids, which say nothing to a reader. */
function withName(error: EngineError, id: string, name: string): EngineError {
  return new EngineError(error.kind, error.status, error.message.replaceAll(id, name), { cause: error.cause })
}
