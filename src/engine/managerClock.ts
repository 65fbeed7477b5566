import { steadyNow } from '../steadyNow.ts'
import type { SystemInfo } from '../swarm/info.ts'

/**
 * A clock that shows the manager's time in milliseconds since the epoch, set by one answer of `info`.
 * `askedAt` and `answeredAt` are `now()` before and after that call: the engine read its clock somewhere in between.
 */
export function managerClock(
  info: SystemInfo,
  askedAt: number,
  answeredAt: number,
  now: () => number = steadyNow,
): () => number {
  const read = Date.parse(info.SystemTime ?? '')
  const ahead = Number.isNaN(read) ? 0 : read - (askedAt + answeredAt) / 2
  return () => Math.round(now() + ahead)
}
