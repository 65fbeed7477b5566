import { instantOf } from '../health/instant.ts'
import { hasSlots, mayComplete, modeOf, restartLimit, wantedReplicas } from '../health/mode.ts'
import { eligibleNodes } from '../health/nodes.ts'
import { ofIteration } from '../health/serviceState.ts'
import { isEnded } from '../health/slots.ts'
import { isUpToDate } from '../health/upToDate.ts'
import type { Node } from '../swarm/node.ts'
import type { Service } from '../swarm/service.ts'
import type { Task } from '../swarm/task.ts'

/** How a service that is as wanted has to be started again: not at all, by writing the same spec, or with a greater `ForceUpdate`. */
export type Retry = 'none' | 'same-spec' | 'force'

/**
 * A paused update goes on when the same spec is written again. A slot that Swarm has given up (restart condition `none`, or all
 * attempts used up) stays dead then, and needs a greater counter; a job runs again by the same spec. What has completed is left
 * alone, though Swarm calls the update of a one-shot paused as soon as its task ends, whatever the exit code.
 */
export function retryOf(service: Service, allTasks: readonly Task[], nodes: readonly Node[]): Retry {
  const tasks = newestTasks(service, allTasks, nodes)
  const living = tasks.filter((task) => !isEnded(task, service)).length
  // What is left of a slot that fewer replicas no longer want is none of them.
  const dead = Math.min(tasks.length, wantedTasks(service, nodes)) - living
  if (restartLimit(service.Spec) !== undefined && dead > 0) {
    return service.JobStatus ? 'same-spec' : 'force'
  }
  const { State: state } = service.UpdateStatus ?? {}
  if (state !== 'paused' && state !== 'rollback_paused') return 'none'
  return hasCompleted(service, tasks, nodes) ? 'none' : 'same-spec'
}

/** Of each slot, or of each node where such a task may be. */
export function newestTasks(service: Service, tasks: readonly Task[], nodes: readonly Node[]): readonly Task[] {
  const bySlot = hasSlots(modeOf(service.Spec))
  const places = new Set(eligibleNodes(service.Spec, nodes).map((node) => node.ID))
  const newest = new Map<string | number, Task>()
  for (const task of tasks) {
    if (task.ServiceID !== service.ID || (service.JobStatus && !ofIteration(task, service))) continue
    if (!bySlot && !places.has(task.NodeID ?? '')) continue
    const key = bySlot ? (task.Slot ?? 0) : (task.NodeID ?? '')
    const known = newest.get(key)
    if (known === undefined || instantOf(known.CreatedAt) < instantOf(task.CreatedAt)) newest.set(key, task)
  }
  // Gone because fewer replicas are wanted, not because it failed.
  return [...newest.values()].filter((task) => task.DesiredState !== 'remove')
}

// --- Internal helpers ---

function wantedTasks(service: Service, nodes: readonly Node[]): number {
  return wantedReplicas(service) ?? eligibleNodes(service.Spec, nodes).length
}

function hasCompleted(service: Service, tasks: readonly Task[], nodes: readonly Node[]): boolean {
  const wanted = wantedTasks(service, nodes)
  const completed = tasks.filter(
    (task) =>
      task.Status.State === 'complete' && isUpToDate(task, service, { now: 0, services: [service], tasks, nodes }),
  )
  return mayComplete(service.Spec) && wanted > 0 && completed.length >= wanted
}
