export type ChangeAction = 'create' | 'update' | 'retry' | 'credentials' | 'rotate' | 'remove'

/** One thing that a run writes, or would write. */
export interface Change {
  readonly kind: 'network' | 'secret' | 'config' | 'service' | 'volume'
  /** The swarm's name. */
  readonly name: string
  readonly action: ChangeAction
  /** What differs, as dotted names (`image`, `env[LOG_LEVEL]`, `replicas`); empty for a creation. */
  readonly fields: readonly string[]
}
