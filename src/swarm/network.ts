// Networks as the Engine lists and creates them. Source: moby api/types/network and api/types/swarm/network.go.
import type { Int64, Labels, Timestamp } from './common.ts'

/** A network of `GET /networks`. Unlike the other objects it has `Id`, not `ID`, and no version. */
export interface Network {
  readonly Id: string
  readonly Name: string
  readonly Created?: Timestamp
  /** `swarm` or `local`. */
  readonly Scope: string
  readonly Driver: string
  readonly EnableIPv4?: boolean
  readonly EnableIPv6?: boolean
  readonly IPAM?: IPAMOptions | null
  readonly Internal?: boolean
  readonly Attachable?: boolean
  readonly Ingress?: boolean
  readonly Options?: Labels | null
  readonly Labels?: Labels | null
}

/** The body of `POST /networks/create`. */
export interface NetworkCreateRequest {
  readonly Name: string
  readonly Driver: string
  readonly Scope?: string
  readonly EnableIPv4?: boolean
  readonly EnableIPv6?: boolean
  readonly IPAM?: IPAMOptions | null
  readonly Internal?: boolean
  readonly Attachable?: boolean
  readonly Ingress?: boolean
  readonly ConfigOnly?: boolean
  readonly ConfigFrom?: { readonly Network: string } | null
  readonly Options?: Labels | null
  readonly Labels?: Labels | null
}

export interface IPAMOptions {
  readonly Driver?: string
  readonly Options?: Labels | null
  readonly Config?: readonly IPAMConfig[] | null
}

export interface IPAMConfig {
  readonly Subnet?: string
  readonly IPRange?: string
  readonly Gateway?: string
  readonly AuxiliaryAddresses?: Labels | null
}

/** In a spec that we send `Target` is a network's name; in one that the Engine answers it is the id. */
export interface NetworkAttachmentConfig {
  readonly Target?: string
  readonly Aliases?: readonly string[] | null
  readonly DriverOpts?: Labels | null
}

export interface EndpointSpec {
  /** `vip` (the default) or `dnsrr`. */
  readonly Mode?: string
  readonly Ports?: readonly PortConfig[] | null
}

export interface PortConfig {
  readonly Name?: string
  /** `tcp` (the default), `udp` or `sctp`. */
  readonly Protocol?: string
  readonly TargetPort?: Int64
  /** Absent or 0: the Engine chooses one from 30000 up. */
  readonly PublishedPort?: Int64
  /** `ingress` (the default) or `host`. */
  readonly PublishMode?: string
}

export interface EndpointVirtualIP {
  readonly NetworkID?: string
  readonly Addr?: string
}
