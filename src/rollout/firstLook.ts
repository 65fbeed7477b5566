import { type EngineError, mayPass } from '../engine/engine.ts'
import { lostSight } from './lostSight.ts'

/** Between two tries (ms). */
const PAUSE = 1000

/**
 * The look that a watch begins with. As later ones it is tried again after a passing error: a leader that changes right after the
 * writes must not end the run. Rejects with the signal's reason.
 */
export async function firstLook<T>(options: {
  readonly read: (signal: AbortSignal) => Promise<T>
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  readonly onTrouble: (error: EngineError) => void
}): Promise<T> {
  const { read, sleep, signal, onTrouble } = options
  for (;;) {
    try {
      return await read(signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!mayPass(error)) throw error
      if (error.isFinal) throw lostSight(error)
      onTrouble(error)
    }
    await sleep(PAUSE, signal).catch(() => {})
    signal.throwIfAborted()
  }
}
