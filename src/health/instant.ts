import type { Timestamp } from '../swarm/common.ts'
import type { Task } from '../swarm/task.ts'

/** Milliseconds since the epoch of a time stamp of the Engine; 0 for none. */
export function instantOf(timestamp: Timestamp | null | undefined): number {
  if (timestamp === undefined || timestamp === null) return 0
  const at = Date.parse(timestamp)
  return Number.isNaN(at) ? 0 : at
}

/**
 * When a task entered its present state, in milliseconds by the manager's clock. `Status.Timestamp` is the clock of the task's
 * own node; where that contradicts what the manager wrote down (`CreatedAt`, `UpdatedAt`), the manager's last write counts.
 */
export function enteredAt(task: Task): number {
  const created = instantOf(task.CreatedAt)
  const updated = instantOf(task.UpdatedAt)
  const entered = instantOf(task.Status.Timestamp)
  return entered < created || entered > updated ? Math.max(created, updated) : entered
}

/** Oldest first. */
export function byCreation(left: Task, right: Task): number {
  return instantOf(left.CreatedAt) - instantOf(right.CreatedAt)
}
