import type { Service } from '../swarm/service.ts'
import type { Task } from '../swarm/task.ts'
import { sameSpec } from './sameSpec.ts'
import { ofIteration } from './serviceState.ts'
import type { Snapshot } from './verdict.ts'

/**
 * Whether a task is made from its service's current spec. The engine's own answer (the filter `_up-to-date`) counts; without it the
 * specs are compared. A job's tasks belong to a run instead, and each update starts a new one.
 */
export function isUpToDate(task: Task, service: Service, snapshot: Snapshot): boolean {
  if (service.JobStatus) return ofIteration(task, service)
  if (snapshot.upToDate !== undefined) return snapshot.upToDate.has(task.ID)
  // Only the service's template names the runtime.
  const { Runtime: _service, ...wanted } = service.Spec.TaskTemplate
  const { Runtime: _task, ...actual } = task.Spec
  return sameSpec(wanted, actual)
}
