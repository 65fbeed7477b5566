import type { Timestamp } from '../swarm/common.ts'
import type { Task } from '../swarm/task.ts'
import type { Snapshot } from './verdict.ts'

/** Milliseconds since the epoch of a time stamp of the Engine; 0 for none. */
export function instantOf(timestamp: Timestamp | null | undefined): number {
  if (timestamp === undefined || timestamp === null) return 0
  const at = Date.parse(timestamp)
  return Number.isNaN(at) ? 0 : at
}

/**
 * When a task entered its present state, in milliseconds by the manager's clock. `Status.Timestamp` is the clock of the task's
 * own node; where that contradicts what the manager wrote down (`CreatedAt`, `UpdatedAt`), the manager's last write counts. Both
 * may be seconds off, the latter where another manager leads: what contradicts the looks at it does not count either.
 */
export function enteredAt(task: Task, { sightings }: Pick<Snapshot, 'sightings'>): number {
  const created = instantOf(task.CreatedAt)
  const updated = instantOf(task.UpdatedAt)
  const entered = instantOf(task.Status.Timestamp)
  const told = entered < created || entered > updated ? Math.max(created, updated) : entered
  const sighting = sightings?.get(task.ID)
  return sighting === undefined || (told >= sighting.after && told <= sighting.before) ? told : sighting.seen
}

/** Oldest first. */
export function byCreation(left: Task, right: Task): number {
  return instantOf(left.CreatedAt) - instantOf(right.CreatedAt)
}
