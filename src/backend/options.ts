import type { Problem } from '../errors.ts'
import type { RegistryAuth } from '../registry/registryAuth.ts'
import { WriteJournal } from './journal.ts'

export interface BackendOptions {
  /** One line a change, as it happens. */
  readonly log?: (line: string) => void
  readonly warn?: (problem: Problem) => void
  /** Told the name of a service that someone else wrote while this run was at it: once for each lost race. */
  readonly onOutOfBandChange?: (service: string) => void
  /** Milliseconds since the epoch by the manager's clock. */
  readonly now?: () => number
  readonly journal?: WriteJournal
  /** Aborted, the run stops before its next write; a write under way is awaited. */
  readonly signal?: AbortSignal | undefined
  /** Calls under way at once. */
  readonly concurrency?: number
}

/** The options with their defaults, and what the `with…` copies add. */
export interface Settings extends Required<BackendOptions> {
  readonly registryAuth: RegistryAuth | undefined
  readonly forbiddenSecrets: ReadonlySet<string>
}

export function withDefaults(options: BackendOptions & Partial<Settings>): Settings {
  return {
    log: options.log ?? (() => {}),
    warn: options.warn ?? (() => {}),
    onOutOfBandChange: options.onOutOfBandChange ?? (() => {}),
    now: options.now ?? Date.now,
    journal: options.journal ?? new WriteJournal(),
    signal: options.signal,
    concurrency: options.concurrency ?? 8,
    registryAuth: options.registryAuth,
    forbiddenSecrets: options.forbiddenSecrets ?? new Set(),
  }
}
