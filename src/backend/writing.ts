import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, EngineError, mayPass } from '../engine/engine.ts'
import { DeployError, type FailureCode, messageOf, type Problem } from '../errors.ts'
import type { Settings } from './options.ts'

/** What every write needs. */
export interface Writing {
  readonly engine: Engine
  readonly settings: Settings
}

/** How often a write is tried that a race or a bad moment spoils. */
export const ATTEMPTS = 3

/** Throws `cancelled` where the run was asked to stop. Called before each write, never during one. */
export function stopIfCancelled({ signal }: Settings, name: string): void {
  if (signal?.aborted !== true) return
  throw new DeployError('cancelled', `the run was stopped before it wrote ${name}`, {
    cause: signal.reason,
    remedy: 'Run it again: what is already as wanted is left alone.',
  })
}

/**
 * Sends one write and keeps the journal. A refusal is known to have had no effect, and so is what was never sent; a lost or failed call is not.
 * @param name such as `service shop_web`
 */
export async function write<T>({ settings }: Writing, name: string, call: () => Promise<T>): Promise<T> {
  stopIfCancelled(settings, name)
  settings.journal.start(name)
  try {
    const answer = await call()
    settings.journal.done(name)
    return answer
  } catch (error) {
    if (error instanceof EngineError && !mayHaveGotThrough(error)) settings.journal.refused(name)
    throw error
  }
}

/** Whether the daemon may have done what it was asked although it did not say so. */
export function isUnclear(error: unknown): error is EngineError {
  return mayPass(error)
}

/** Whether a call that ended so may have had its effect, or have it yet. */
export function mayHaveGotThrough(error: unknown): boolean {
  return isUnclear(error) && !error.isUnsent
}

export function isKind(error: unknown, kind: EngineError['kind']): boolean {
  return error instanceof EngineError && error.kind === kind
}

/** Source: moby/swarmkit manager/controlapi/service.go. */
const portTaken = /port '\d+' is already in use by service/

/** An engine's refusal of a write as the end of the run, at the manifest's line. Its message already says what was being done. */
export function refusedWrite(
  error: unknown,
  { position, service }: { readonly position?: Problem['position']; readonly service?: string } = {},
): unknown {
  if (!(error instanceof EngineError)) return error
  const codes: Readonly<Partial<Record<EngineError['kind'], FailureCode>>> = {
    connection: 'connection',
    unauthorized: 'authentication',
    'version-conflict': 'conflict',
    'already-exists': 'conflict',
  }
  const code = codes[error.kind] ?? (portTaken.test(error.message) ? 'port-in-use' : 'engine')
  return new DeployError(code, messageOf(error), { cause: error, position, service })
}

/** Waits a moment before another try; cut short by a cancellation, which the next write reports. */
export async function pause(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(250 * attempt, undefined, signal && { signal }).catch(() => {})
}
