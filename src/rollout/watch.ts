import { EngineError, mayPass } from '../engine/engine.ts'
import { assess } from '../health/assess.ts'
import { blank } from '../health/base.ts'
import type { Expectation, Snapshot, Verdict } from '../health/verdict.ts'
import { lostSight } from './lostSight.ts'
import { createMemory } from './memory.ts'

export interface WatchOptions {
  /** One look at the swarm. An `EngineError` of kind `passing` or `connection` is waited out, unless it is final; any other error ends the watch. */
  readonly read: (signal?: AbortSignal) => Promise<Snapshot>
  /** A look that was just taken: it is judged first. */
  readonly first?: Snapshot | undefined
  /** In the manifest's order, which is that of the verdicts. */
  readonly expectations: readonly Expectation[]
  /** Milliseconds since the epoch by the manager's clock. */
  readonly now: () => number
  /** Resolves after so many milliseconds; may resolve early or reject when the signal is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Milliseconds since the epoch by the manager's clock. */
  readonly deadline: number
  readonly signal?: AbortSignal | undefined
  /**
   * Called when something is new about a service, with those verdicts and all; with none of them when nothing was for 15 s, as a sign
   * of life.
   */
  readonly onVerdicts: (changed: readonly Verdict[], all: readonly Verdict[]) => void
  /** Called when a read failed and will be tried again. */
  readonly onTrouble?: ((error: EngineError) => void) | undefined
}

export interface WatchResult {
  readonly kind: 'converged' | 'failed' | 'timed-out' | 'cancelled'
  readonly verdicts: readonly Verdict[]
  /** The last look, with what was remembered of earlier ones; undefined where no read succeeded. */
  readonly snapshot?: Snapshot | undefined
  /** Why the last look failed, where it did: what the verdicts say is then older than the end of the watch. */
  readonly trouble?: EngineError | undefined
}

/** How long (ms) to wait between two looks while something is pending. */
const TICK = 1000

/** A timer of more (ms) fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** While all tasks run and only have to go on doing so, one look at the end of the window is enough, but no longer than this (ms). */
const LONGEST_NAP = 5000

/** After a failure the others get so long (ms) to come to a verdict, so that the report is complete. */
const OTHERS_SETTLE_WITHIN = 5000

/** Say something at least this often (ms). */
export const HEARTBEAT = 15_000

/**
 * Watches a stack until all of it has converged, something cannot, or the time is up. All services are judged by the same look, again and
 * again to the end: one that had converged and falls over is pending again. A failure is final. It ends the watch as soon as every
 * other service has converged or failed, or after 5 s.
 */
export async function watch(options: WatchOptions): Promise<WatchResult> {
  const { expectations, now, deadline, signal } = options
  const remember = createMemory()
  const failures = new Map<string, Verdict>()
  let snapshot: Snapshot | undefined
  let verdicts: readonly Verdict[] = expectations.map(unread)
  let failedAt = Number.POSITIVE_INFINITY
  let spokeAt = now()
  let troubles = 0
  let trouble: EngineError | undefined
  const result = (kind: WatchResult['kind']): WatchResult => ({ kind, verdicts, snapshot, trouble })
  let taken = options.first

  for (;;) {
    if (signal?.aborted) return result('cancelled')
    const look = taken ?? (await readInTime(options))
    taken = undefined
    if (signal?.aborted) return result('cancelled')
    if (look === 'late') return result(failures.size > 0 ? 'failed' : 'timed-out')

    if (look instanceof EngineError) {
      if (look.isFinal) throw lostSight(look)
      troubles++
      trouble = look
      options.onTrouble?.(look)
    } else {
      troubles = 0
      trouble = undefined
      snapshot = remember(look)
      const before = new Map(verdicts.map((verdict) => [verdict.name, verdict]))
      verdicts = judge(expectations, snapshot, failures)
      const changed = verdicts.filter((verdict) => isNews(before.get(verdict.name), verdict))
      if (changed.length > 0 || now() - spokeAt >= HEARTBEAT) {
        spokeAt = now()
        options.onVerdicts(changed, verdicts)
      }
      if (verdicts.every((verdict) => verdict.condition === 'converged')) return result('converged')
      if (failures.size > 0) {
        failedAt = Math.min(failedAt, now())
        const open = verdicts.some((verdict) => verdict.condition === 'progressing')
        if (!open || now() >= failedAt + OTHERS_SETTLE_WITHIN) return result('failed')
      }
    }

    const left = deadline - now()
    if (left <= 0) return result(failures.size > 0 ? 'failed' : 'timed-out')
    const pause = troubles > 0 ? TICK * Math.min(troubles, 5) : pauseAfter(verdicts, now(), failures.size > 0)
    await nap(Math.min(pause, left), options)
  }
}

/** Judges all services; what once failed stays so. */
function judge(
  expectations: readonly Expectation[],
  snapshot: Snapshot,
  failures: Map<string, Verdict>,
): readonly Verdict[] {
  return expectations.map((expectation) => {
    const verdict = failures.get(expectation.name) ?? assess(expectation, snapshot)
    if (verdict.condition === 'failed') failures.set(expectation.name, verdict)
    return verdict
  })
}

function pauseAfter(verdicts: readonly Verdict[], now: number, failed: boolean): number {
  const open = verdicts.filter((verdict) => verdict.condition === 'progressing')
  // What has failed before may fail again before the window ends.
  const ends = open.map((verdict) => (verdict.failures.length > 0 ? undefined : verdict.settlesAt) ?? Number.NaN)
  if (failed || ends.some(Number.isNaN)) return TICK
  return Math.min(Math.max(Math.max(...ends) - now, 50), LONGEST_NAP)
}

/** A read that outlasts the deadline or the run is given up. */
async function readInTime(options: WatchOptions): Promise<Snapshot | EngineError | 'late'> {
  const { deadline, now, read, signal } = options
  const over = new AbortController()
  const end = () => over.abort()
  signal?.addEventListener('abort', end, { once: true })
  const late = nap(Math.min(Math.max(deadline - now(), TICK), LONGEST_TIMER), { ...options, signal: over.signal }).then(
    () => 'late' as const,
  )
  try {
    return await Promise.race([read(over.signal), late])
  } catch (error) {
    if (signal?.aborted) return 'late'
    if (mayPass(error)) return error
    throw error
  } finally {
    signal?.removeEventListener('abort', end)
    over.abort()
  }
}

/** Sleeps; being woken by the signal is no error. */
async function nap(ms: number, options: Pick<WatchOptions, 'sleep' | 'signal'>): Promise<void> {
  try {
    await options.sleep(ms, options.signal)
  } catch (error) {
    if (!options.signal?.aborted) throw error
  }
}

function isNews(before: Verdict | undefined, verdict: Verdict): boolean {
  const text = (one: Verdict) => one.stage ?? one.sentence
  return (
    before === undefined ||
    before.condition !== verdict.condition ||
    text(before) !== text(verdict) ||
    before.warning !== verdict.warning
  )
}

function unread(expectation: Expectation): Verdict {
  return { ...blank(expectation), condition: 'progressing', sentence: 'could not be read yet' }
}
