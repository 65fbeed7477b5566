/** A clock that jumps to the next thing that sleeps as soon as nothing else is left to do. */
export interface FakeClock {
  readonly now: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Runs until the work is done, and gives its result. */
  run<T>(work: Promise<T>): Promise<T>
}

export function fakeClock(start: number): FakeClock {
  let now = start
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          at: now + ms,
          wake: () => {
            sleepers.delete(sleeper)
            resolve()
          },
        }
        if (signal?.aborted) return resolve()
        signal?.addEventListener('abort', sleeper.wake, { once: true })
        sleepers.add(sleeper)
      }),
    async run(work) {
      let done = false
      const finished = work.finally(() => {
        done = true
      })
      finished.catch(() => {})
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve))
        if (done) return finished
        const next = [...sleepers].sort((left, right) => left.at - right.at)[0]
        if (next === undefined) continue
        now = Math.max(now, next.at)
        next.wake()
      }
    },
  }
}
