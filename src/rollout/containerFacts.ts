import type { Engine } from '../engine/engine.ts'
import { EngineError } from '../engine/engine.ts'
import { messageOf } from '../errors.ts'
import type { TaskStory } from '../report/outcome.ts'
import type { Task } from '../swarm/task.ts'
import { orAborted, within } from './within.ts'

/** What only a task's container tells; that can be asked of the node alone on which it is. */
export interface ContainerFacts extends Pick<TaskStory, 'health' | 'healthNote'> {
  /** The kernel killed it for want of memory. */
  readonly outOfMemory?: boolean
}

export interface ContainerOptions {
  /** The id of the node that the run talks to; undefined where it is not known. */
  readonly localNode: string | undefined
  /** 0 leaves out what containers wrote. */
  readonly logLines: number
  readonly signal?: AbortSignal | undefined
}

/** Asks a task's container where it may say more than Swarm does: whether it was killed, and what its health check said last. Never rejects. */
export async function containerFacts(
  engine: Pick<Engine, 'inspectContainer'>,
  task: Task,
  node: string,
  { localNode, logLines, signal }: ContainerOptions,
): Promise<ContainerFacts> {
  const id = task.Status.ContainerStatus?.ContainerID ?? ''
  const isUnhealthy = /unhealthy container/i.test(task.Status.Err ?? '')
  // Swarm calls a container that has a health check `starting` until it is healthy.
  const isWaiting = task.Status.State === 'starting'
  const isKilled = /non-zero exit \(137\)/.test(task.Status.Err ?? '') && !isUnhealthy
  if (id === '' || !(isUnhealthy || isWaiting || isKilled)) return {}
  const missing = (why: string): ContainerFacts => (isUnhealthy || isWaiting ? { healthNote: why } : {})
  if (localNode !== undefined && task.NodeID !== localNode) {
    return missing(
      `what its health check said is known on ${node} only, which this run does not talk to: \`docker inspect -f '{{json .State.Health}}' ${id.slice(0, 12)}\` there shows it`,
    )
  }
  const limit = within(signal)
  try {
    const { State: state } = await orAborted(engine.inspectContainer(id, { signal: limit.signal }), limit.signal)
    const last = state.Health?.Log?.at(-1)
    const outOfMemory = state.OOMKilled === true
    if (isKilled) return { outOfMemory }
    if (last === undefined) return isUnhealthy ? missing('its health check left no result') : {}
    if (logLines <= 0) return missing('what its health check said is left out, as the log is')
    const failures = state.Health?.FailingStreak ?? 0
    return { health: { exitCode: last.ExitCode, failures, output: last.Output ?? '' } }
  } catch (error) {
    if (error instanceof EngineError && error.kind === 'not-found') {
      return missing('what its health check said is gone with its container')
    }
    return missing(`what its health check said could not be read: ${limit.reason ?? messageOf(error)}`)
  }
}
