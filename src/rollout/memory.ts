import type { Sighting, Snapshot } from '../health/verdict.ts'
import type { Task, TaskState } from '../swarm/task.ts'

/**
 * Adds to each snapshot the ended tasks that an earlier one had and Swarm has reaped since: its history is short, and what failed
 * has to be counted. Whether they were of the current spec is kept as it was when they were last seen. Adds also when each
 * task was seen to come to its state.
 */
export function createMemory(): (snapshot: Snapshot) => Snapshot {
  const known = new Map<string, { task: Task; upToDate: boolean | undefined }>()
  const sightingsOf = createSightings()
  return (look) => {
    const snapshot = { ...look, sightings: sightingsOf(look) }
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

/** A look is dated before it is taken: what is new in one came after the date of the last one, and before that of the next. */
function createSightings(): (look: Snapshot) => Snapshot['sightings'] {
  let sightings = new Map<string, Sighting & { readonly state: TaskState }>()
  let last = Number.NEGATIVE_INFINITY
  return ({ now, tasks }) => {
    sightings = new Map(
      tasks.map(({ ID, Status: { State: state } }) => {
        const known = sightings.get(ID)
        if (known?.state === state) return [ID, { ...known, before: Math.min(known.before, now) }]
        return [ID, { state, after: last, seen: now, before: Number.POSITIVE_INFINITY }]
      }),
    )
    last = now
    return sightings
  }
}
