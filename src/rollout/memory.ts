import type { Snapshot } from '../health/verdict.ts'
import type { Task } from '../swarm/task.ts'

/**
 * Adds to each snapshot the ended tasks that an earlier one had and Swarm has reaped since: its history is short, and what failed
 * has to be counted. Whether they were of the current spec is kept as it was when they were last seen.
 */
export function createMemory(): (snapshot: Snapshot) => Snapshot {
  const known = new Map<string, { task: Task; upToDate: boolean | undefined }>()
  return (snapshot) => {
    const listed = new Set(snapshot.tasks.map((task) => task.ID))
    const reaped = [...known.values()].filter(({ task }) => !listed.has(task.ID))
    for (const task of snapshot.tasks) {
      if (task.Status.State !== 'failed' && task.Status.State !== 'rejected' && task.Status.State !== 'complete')
        continue
      known.set(task.ID, { task, upToDate: snapshot.upToDate?.has(task.ID) })
    }
    if (reaped.length === 0) return snapshot
    const kept = reaped.filter(({ upToDate }) => upToDate === true).map(({ task }) => task.ID)
    return {
      ...snapshot,
      tasks: [...snapshot.tasks, ...reaped.map(({ task }) => task)],
      upToDate: snapshot.upToDate === undefined ? undefined : new Set([...snapshot.upToDate, ...kept]),
    }
  }
}
