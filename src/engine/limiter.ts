/** Runs at most so many tasks at once, in the order they came. */
export interface Limiter {
  run<T>(task: () => Promise<T>): Promise<T>
  /** For a task that found no room: lowers the bound to what runs beside it, but never below one. */
  shrink(): void
}

export function createLimiter(bound: number): Limiter {
  let limit = bound
  let running = 0
  const waiting: (() => void)[] = []
  const next = (): void => {
    while (running < limit && waiting.length > 0) {
      running += 1
      waiting.shift()?.()
    }
  }
  return {
    async run(task) {
      await new Promise<void>((start) => {
        waiting.push(start)
        next()
      })
      try {
        return await task()
      } finally {
        running -= 1
        next()
      }
    },
    shrink() {
      limit = Math.max(1, Math.min(limit, running - 1))
    },
  }
}
