import type { Problem } from '../errors.ts'
import type { RegistryAuth } from '../registry/registryAuth.ts'
import { WriteJournal } from './journal.ts'

export interface BackendOptions {
  /** One line a change, as it happens. */
  readonly log?: (line: string) => void
  /** Told what the run goes on in spite of. */
  readonly warn?: (problem: Problem) => void
  /** Told the name of a service that someone else wrote while this run was at it: once for each lost race. */
  readonly onOutOfBandChange?: (service: string) => void
  /** Milliseconds since the epoch by the manager's clock. */
  readonly now?: () => number
  /** Notes what is to be written, is being written and is written, for a run that ends early. */
  readonly journal?: WriteJournal
  /** Aborted, the run stops before its next write; a write under way is awaited. */
  readonly signal?: AbortSignal | undefined
  /** Calls under way at once. */
  readonly concurrency?: number
  /** Give a secret or config whose content changed a new name; otherwise it is refused. */
  readonly rotate?: boolean
  /** Refuse a stack with an image whose digest can't be resolved. */
  readonly strictImages?: boolean
  /** Who owns what is deployed, such as `gha/octocat/shop`; without it nothing is stamped. */
  readonly owner?: string | undefined
  /** Take over a stack that somebody else owns. */
  readonly adopt?: boolean
  /** Which services to restart even if nothing changed: all, none, or those with these keys. A job runs again. */
  readonly force?: boolean | readonly string[]
}

/** The options with their defaults, and what the `with…` copies add. */
export interface Settings extends Required<BackendOptions> {
  readonly registryAuth: RegistryAuth | undefined
  readonly forbiddenSecrets: ReadonlySet<string>
}

/** What of the settings decides what a plan says. */
export type PlanSettings = Pick<
  Settings,
  'rotate' | 'strictImages' | 'owner' | 'adopt' | 'force' | 'registryAuth' | 'forbiddenSecrets'
>

export function withDefaults(options: BackendOptions & Partial<Settings>): Settings {
  return {
    log: options.log ?? (() => {}),
    warn: options.warn ?? (() => {}),
    onOutOfBandChange: options.onOutOfBandChange ?? (() => {}),
    now: options.now ?? Date.now,
    journal: options.journal ?? new WriteJournal(),
    signal: options.signal,
    concurrency: options.concurrency ?? 8,
    rotate: options.rotate ?? false,
    strictImages: options.strictImages ?? false,
    owner: options.owner,
    adopt: options.adopt ?? false,
    force: options.force ?? false,
    registryAuth: options.registryAuth,
    forbiddenSecrets: options.forbiddenSecrets ?? new Set(),
  }
}
