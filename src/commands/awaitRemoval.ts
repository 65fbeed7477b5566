import type { Remains } from '../backend/stackRemains.ts'
import { type EngineError, mayPass } from '../engine/engine.ts'
import type { Deadline } from './deadline.ts'
import { remainsText } from './remainsText.ts'

export interface RemovalWatch {
  /** Removes what it can and answers what is left. An `EngineError` that may pass is waited out, unless it is final. */
  readonly sweep: () => Promise<Remains>
  /** Milliseconds; any steady clock. */
  readonly now: () => number
  /** Resolves after so many milliseconds; may resolve early or reject when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly deadline: Pick<Deadline, 'passed' | 'remaining' | 'signal'>
  readonly cancelled: AbortSignal
  /** Called when something else is left than before, and every 15 s as a sign of life. */
  readonly onRemains: (remains: Remains) => void
  readonly onTrouble: (error: EngineError) => void
}

export interface RemovalEnd {
  /** `stuck`: all tasks have ended, and the engine goes on refusing. */
  readonly kind: 'gone' | 'stuck' | 'timed-out'
  /** As the last look had it; undefined where none succeeded. */
  readonly remains?: Remains | undefined
}

/** How long (ms) to wait between two looks. */
const TICK = 1000

/** With no task left that could hold on to anything, a refusal that goes on so long (ms) is final. */
const REFUSED_FOR = 10_000

/** Say something at least this often (ms). */
const HEARTBEAT = 15_000

/** Sweeps until nothing is left, what is left will not go, or the time is up. Throws when the run is cancelled, or the sweep can't go on. */
export async function awaitRemoval(watch: RemovalWatch): Promise<RemovalEnd> {
  const { deadline, cancelled, now } = watch
  let remains: Remains | undefined
  let said = ''
  let spokeAt = now()
  let refusedSince: number | undefined
  for (let troubles = 0; ; ) {
    try {
      remains = await watch.sweep()
      troubles = 0
      const text = remainsText(remains)
      if (text === '') return { kind: 'gone', remains }
      const isRefused = remains.tasks.length === 0 && remains.objects.some(({ refusal }) => refusal !== undefined)
      refusedSince = isRefused ? (refusedSince ?? now()) : undefined
      if (refusedSince !== undefined && now() - refusedSince >= REFUSED_FOR) return { kind: 'stuck', remains }
      if (text !== said || now() - spokeAt >= HEARTBEAT) {
        said = text
        spokeAt = now()
        watch.onRemains(remains)
      }
    } catch (error) {
      if (cancelled.aborted) throw error
      if (deadline.passed) return { kind: 'timed-out', remains }
      if (!mayPass(error) || error.isFinal) throw error
      troubles++
      watch.onTrouble(error)
    }
    if (cancelled.aborted) throw cancelled.reason
    if (deadline.passed) return { kind: 'timed-out', remains }
    const pause = Math.min(TICK * Math.max(1, Math.min(troubles, 5)), deadline.remaining())
    // Woken early, the next turn says why.
    await watch.sleep(pause, AbortSignal.any([cancelled, deadline.signal])).catch(() => {})
  }
}
