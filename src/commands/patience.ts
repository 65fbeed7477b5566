import type { Interruption } from './interruption.ts'

/** How long (ms) GitHub may take for the end of a run. */
const USUALLY = 20_000

/** And after a cancellation, when the runner waits for this process to end. */
const HURRIED = 2_000

/** Aborted when the end of a run has waited long enough for somebody else. */
export function patience({ signal, hurry }: Pick<Interruption, 'signal' | 'hurry'>): AbortSignal {
  const cancelled = new AbortController()
  const hasten = (): void => {
    setTimeout(() => cancelled.abort(), HURRIED).unref()
  }
  if (signal.aborted) hasten()
  else signal.addEventListener('abort', hasten, { once: true })
  return AbortSignal.any([AbortSignal.timeout(USUALLY), cancelled.signal, hurry])
}
