import { threadCpuUsage } from 'node:process'

/**
 * How much more work something makes for four times as much: about 4 where it grows in step, 16 where it grows with the square. Counted
 * in the thread's own processor time, the least of three tries, so that a busy machine changes nothing.
 */
export function growth(size: number, work: (size: number) => unknown): number {
  const cost = (count: number): number =>
    Math.min(
      ...Array.from({ length: 3 }, () => {
        const before = threadCpuUsage()
        work(count)
        const { user, system } = threadCpuUsage(before)
        return user + system
      }),
    )
  // Below a few milliseconds the clock is too coarse to tell.
  const floor = 5_000
  return Math.max(cost(4 * size), floor) / Math.max(cost(size), floor)
}
