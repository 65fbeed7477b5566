// A network as Swarm keeps it, which is seen only inside of tasks: with `ID` and `IPAMOptions.Configs`, where the networks of
// `GET /networks` (network.ts) have `Id` and `IPAM.Config`. Moby, too, has two types of the name. Source: api/types/swarm/network.go.
import type { Annotations, Driver, Meta } from './common.ts'

/** One network that a task is in. */
export interface NetworkAttachment {
  readonly Network: Network
  /** The task's own addresses with prefix length, such as `10.0.1.3/24`; absent until the task is allocated. */
  readonly Addresses?: readonly string[] | null
}

export interface Network extends Meta {
  readonly ID: string
  readonly Spec: NetworkSpec
  readonly DriverState: Driver
  /** What was allocated; `Spec.IPAMOptions` is what was asked for. */
  readonly IPAMOptions?: IPAMOptions | null
}

export interface NetworkSpec extends Annotations {
  readonly DriverConfiguration?: Driver | null
  readonly IPv6Enabled?: boolean
  readonly Internal?: boolean
  readonly Attachable?: boolean
  readonly Ingress?: boolean
  readonly IPAMOptions?: IPAMOptions | null
  readonly ConfigFrom?: { readonly Network: string } | null
  readonly Scope?: NetworkScope
}

/** Swarm's own predefined networks, such as `host`, are of scope `swarm` too. */
export type NetworkScope = 'swarm' | 'local' | 'global'

export interface IPAMOptions {
  readonly Driver?: Driver
  readonly Configs?: readonly IPAMConfig[] | null
}

export interface IPAMConfig {
  readonly Subnet?: string
  readonly Range?: string
  readonly Gateway?: string
}
