// What a stack asks of a swarm: the only thing that the rest of the action knows of a manifest.
import type { Position } from '../errors.ts'
import type { NetworkCreateRequest } from '../swarm/network.ts'
import type { ConfigSpec, SecretSpec } from '../swarm/secret.ts'
import type { ServiceSpec } from '../swarm/service.ts'

/** Every list is sorted by the manifest's name. Names inside specs are the swarm's (`shop_web`). */
export interface StackSpec {
  readonly namespace: string
  /** Networks that a service uses: those to create, and the external ones. */
  readonly networks: readonly NetworkObject[]
  readonly secrets: readonly SecretObject[]
  readonly configs: readonly ConfigObject[]
  readonly services: readonly ServiceObject[]
}

interface StackObject {
  /** The manifest's key. */
  readonly key: string
  /** The swarm's name. */
  readonly name: string
  /** Where the manifest declares it. */
  readonly position?: Position | undefined
}

export interface ExternalObject extends StackObject {
  readonly external: true
}

export type NetworkObject =
  | ExternalObject
  | (StackObject & { readonly external: false; readonly spec: NetworkCreateRequest })
export type SecretObject = ExternalObject | (StackObject & { readonly external: false; readonly spec: SecretSpec })
export type ConfigObject = ExternalObject | (StackObject & { readonly external: false; readonly spec: ConfigSpec })

export interface ServiceObject extends StackObject {
  /** As the manifest writes it, after interpolation. */
  readonly image: string
  /** Secret and config references have names but no ids yet: `withReferenceIds` fills them in. */
  readonly spec: ServiceSpec
  readonly position: Position
  /** Places of single keys: `image`, `healthcheck`, `ports.0`, `secrets.1`, `deploy.placement` … where the manifest has them. */
  readonly places: Readonly<Record<string, Position | undefined>>
}
