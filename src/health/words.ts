import type { Service } from '../swarm/service.ts'
import type { Task } from '../swarm/task.ts'
import { hasSlots, type Mode, restartCondition } from './mode.ts'
import { nodeName } from './nodes.ts'
import type { Snapshot } from './verdict.ts'

/** `once`, `twice`, `3 times`. */
export function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`
}

/**
 * Of failed tasks, oldest first, the newest that says why. One that Swarm ends while its network or container goes is told to have failed
 * at that, which is no reason.
 */
export function tellingOf(failures: readonly Task[]): Task | undefined {
  return failures.findLast(({ Status }) => !/^error while removing/.test(Status.Err ?? '')) ?? failures.at(-1)
}

/** The end of a task's story: `failed 3 times, last on node-a with exit code 3: task: non-zero exit (3)`. Swarm's error is whole. */
export function failureText(failures: readonly Task[], service: Service, snapshot: Snapshot): string {
  const last = tellingOf(failures)
  if (last === undefined) return 'failed'
  const { State: state, Err: error = '', Message: message = '' } = last.Status
  const code = exitCodeOf(last)
  const verb =
    state === 'complete'
      ? 'ended'
      : state === 'rejected'
        ? 'was rejected'
        : state === 'orphaned'
          ? 'was lost'
          : 'failed'
  const where = ` ${failures.length > 1 ? `${times(failures.length)}, last ` : ''}on ${nodeName(snapshot.nodes, last.NodeID)}`
  const how = code === undefined ? '' : ` with exit code ${code}`
  const why = error !== '' ? `: ${error}` : state === 'complete' ? '' : `: ${message}`
  const but =
    state === 'complete' ? `, but must keep running (its restart condition is ${restartCondition(service.Spec)})` : ''
  return `${verb}${where}${how}${why}${but}`
}

/** The exit code of a container that ran and ended; undefined where there was none. */
export function exitCodeOf(task: Task): number | undefined {
  const { State: state, ContainerStatus: container, Err: error = '' } = task.Status
  if (container?.ContainerID === undefined || container.ContainerID === '') return undefined
  if (state !== 'failed' && state !== 'complete' && state !== 'shutdown') return undefined
  // Swarm's text knows better: after a container vanished it says -1 while the number is 0.
  const told = /non-zero exit \((-?\d+)\)/.exec(error)?.[1]
  const code = told === undefined ? container.ExitCode : Number(told)
  return code === undefined || code < 0 || (state === 'failed' && code === 0) ? undefined : code
}

/** `web.2`, or `agent` where a service has one task a node: the node is told beside it. */
export function slotName(task: Task, key: string, mode: Mode): string {
  return hasSlots(mode) ? `${key}.${task.Slot ?? 0}` : key
}
