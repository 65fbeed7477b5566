// Secrets and configs. Source: moby api/types/swarm/secret.go and config.go.
import type { Annotations, Driver, Meta } from './common.ts'

export interface SecretSpec extends Annotations {
  /** Standard base64 with padding. The Engine never gives it back. */
  readonly Data?: string
  readonly Driver?: Driver | null
  readonly Templating?: Driver | null
}

export interface Secret extends Meta {
  readonly ID: string
  readonly Spec: SecretSpec
}

export interface ConfigSpec extends Annotations {
  /** Standard base64 with padding. The Engine does give it back. */
  readonly Data?: string
  readonly Templating?: Driver | null
}

export interface Config extends Meta {
  readonly ID: string
  readonly Spec: ConfigSpec
}
