import { type EngineError, mayPass } from '../engine/engine.ts'
import { lostSight } from './lostSight.ts'

/** Between two tries (ms). */
const PAUSE = 1000

/** What shows less than was just written is taken as it is after so many tries. */
const TRIES = 4

/**
 * The look that a watch begins with. As later ones it is tried again after a passing error: a leader that changes right after the
 * writes must not end the run. Nor must one that does not list yet what was written, for which it is tried again a few times.
 * Rejects with the signal's reason.
 */
export async function firstLook<T>(options: {
  readonly read: (signal: AbortSignal) => Promise<T>
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  readonly onTrouble: (error: EngineError) => void
  /** Whether a look shows all that has to be there; without it any does. */
  readonly isWhole?: (look: T) => boolean
}): Promise<T> {
  const { read, sleep, signal, onTrouble, isWhole = () => true } = options
  for (let tries = 1; ; tries++) {
    try {
      const look = await read(signal)
      if (tries >= TRIES || isWhole(look)) return look
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
