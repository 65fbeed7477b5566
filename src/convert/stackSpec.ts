// What a stack asks of a swarm: the only thing that the rest of the action knows of a manifest.
import type { Position } from '../errors.ts'
import type { NetworkCreateRequest } from '../swarm/network.ts'
import type { ConfigSpec, SecretSpec } from '../swarm/secret.ts'
import type { ServiceSpec } from '../swarm/service.ts'

/** Every list is sorted by the manifest's name. Names inside specs are the swarm's (`shop_web`). */
export interface StackSpec {
  readonly namespace: string
  /** Networks that a service uses: those to create, and the external ones but for the engine's own (`host`, `bridge`, `none`). */
  readonly networks: readonly NetworkObject[]
  /** All that the manifest defines, and the external ones that a service uses. */
  readonly secrets: readonly SecretObject[]
  readonly configs: readonly ConfigObject[]
  readonly services: readonly ServiceObject[]
  /** Secrets that the manifest declares and this run neither writes nor mounts: it may name none that is protected. */
  readonly secretsAside?: readonly Pick<SecretObject, 'key' | 'name' | 'position'>[] | undefined
  /** The swarm's names of services that the manifest has, and leaves out this time: no part of the stack, but none that left it either. */
  readonly inactive?: readonly string[] | undefined
}

interface StackObject {
  /** The manifest's key. */
  readonly key: string
  /** The swarm's name. */
  readonly name: string
  /** Where the manifest declares it. */
  readonly position?: Position | undefined
}

interface ExternalObject extends StackObject {
  readonly external: true
}

export type NetworkObject =
  | ExternalObject
  | (StackObject & { readonly external: false; readonly spec: NetworkCreateRequest })
export type SecretObject = ExternalObject | (StackObject & { readonly external: false; readonly spec: SecretSpec })
export type ConfigObject = ExternalObject | (StackObject & { readonly external: false; readonly spec: ConfigSpec })

/** When a service is written. */
export interface ServiceOrder {
  /** Lower ones come first. */
  readonly wave: number
  /** Not to be updated together with others. */
  readonly isSequential: boolean
  /** Keys of all that it depends on, directly or not: of no higher wave, and never itself. */
  readonly after: readonly string[]
}

export interface ServiceObject extends StackObject {
  /** As the manifest writes it, after interpolation. */
  readonly image: string
  /**
   * Its image has a tag, and a digest only if the manifest gives one. Secret and config references have names but no ids yet
   * (empty ones; in a credential specification the config's name): `withReferenceIds` fills them in.
   */
  readonly spec: ServiceSpec
  /** Undefined where no label orders it: wave 0, after nothing. */
  readonly order?: ServiceOrder | undefined
  readonly position: Position
  /**
   * Places of single keys: `image`, `healthcheck`, `deploy.placement` … where the manifest has them; items of lists by their
   * number in the spec: `ports.0`, `volumes.2` (a mount), `volumeDefinitions.2` (of what that mounts), `secrets.1`, `configs.0`.
   */
  readonly places: Readonly<Record<string, Position | undefined>>
}
