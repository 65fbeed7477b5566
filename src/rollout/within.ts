/** What does not come within this (ms) is done without. */
const PATIENCE = 3000

/** A signal that ends with the run's, or after 3 s; `reason` is set in the latter case. */
export function within(signal: AbortSignal | undefined): {
  readonly signal: AbortSignal
  readonly reason: string | undefined
} {
  const late = AbortSignal.timeout(PATIENCE)
  return {
    signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    get reason() {
      return late.aborted ? `nothing came within ${PATIENCE / 1000} s` : undefined
    },
  }
}

/** Ends the wait even where a call does not heed its signal. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    const end = () => reject(signal.reason)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
  return Promise.race([work, aborted])
}
