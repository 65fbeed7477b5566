import type { Service } from '../swarm/service.ts'
import type { Task } from '../swarm/task.ts'
import { instantOf } from './instant.ts'

/** So far (ms) the clocks of a swarm may differ without any harm to a verdict. */
const TOLERATED = 1000

/**
 * How far (ms) the clock of the swarm's leader is ahead of the one that a run reads, negative where it is behind; 0 where they agree or
 * nothing tells. Every stamp of a service or task is the leader's, while the engine that the run talks to shows its own time. What the
 * run itself wrote was stamped after it was sent and before it was seen: that bounds the difference. Where it is needed the lower bound
 * counts, so that no window is taken for over too early.
 *
 * @param services as first read after the writes
 * @param sentAt by a service's name, when the write was sent (ms, the run's clock); only those that this run wrote
 * @param seenAt when they had been read (ms, the run's clock)
 */
export function leaderAhead(services: readonly Service[], sentAt: ReadonlyMap<string, number>, seenAt: number): number {
  const written = services.flatMap((service) => {
    const sent = sentAt.get(service.Spec.Name ?? '')
    return sent === undefined ? [] : [{ sent, stamp: instantOf(service.UpdatedAt) }]
  })
  if (written.length === 0) return 0
  const atLeast = Math.max(...written.map(({ stamp }) => stamp - seenAt))
  const atMost = Math.min(...written.map(({ stamp, sent }) => stamp - sent))
  return atLeast > TOLERATED || atMost < -TOLERATED ? atLeast : 0
}

/**
 * From when on (ms, the run's clock) failures of a service count that the run leaves alone. A stamp that is yet to come shows that the
 * leader's clock is ahead: what is there already would be taken for new, and is of before.
 * @param tasks as first read
 */
export function sinceFirstRead(firstRead: number, tasks: readonly Task[], seenAt: number): number {
  const latest = Math.max(0, ...tasks.map(({ UpdatedAt }) => instantOf(UpdatedAt)))
  return latest > seenAt + TOLERATED ? latest + 1 : firstRead
}
