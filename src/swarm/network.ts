// Networks as the Engine lists and creates them. Source: moby api/types/network and api/types/swarm/network.go.
import type { Int64, Labels, Timestamp } from './common.ts'
import type { NetworkScope } from './networkAttachment.ts'

/** A network of `GET /networks`. Unlike the other objects it has `Id`, not `ID`, and no version. */
export interface Network {
  readonly Id: string
  readonly Name: string
  readonly Created?: Timestamp
  readonly Scope: NetworkScope
  readonly Driver: string
  /** API 1.47. */
  readonly EnableIPv4?: boolean
  readonly EnableIPv6?: boolean
  readonly IPAM?: IPAMOptions | null
  readonly Internal?: boolean
  readonly Attachable?: boolean
  readonly Ingress?: boolean
  /** The network whose configuration this one has. */
  readonly ConfigFrom?: { readonly Network: string } | null
  /** Only a configuration for others. */
  readonly ConfigOnly?: boolean
  /** By id; only of containers on the node that answers, and empty in a list. */
  readonly Containers?: Readonly<Record<string, EndpointResource>> | null
  readonly Options?: Labels | null
  readonly Labels?: Labels | null
  /** The nodes that have the network, as far as the one that answers knows. */
  readonly Peers?: readonly PeerInfo[] | null
  /** By the service's name; only where it is asked for with `verbose`. */
  readonly Services?: Readonly<Record<string, ServiceInfo>> | null
  /** API 1.52; not in a list. */
  readonly Status?: NetworkStatus
}

/** How much of its addresses is in use; by subnet. */
export interface NetworkStatus {
  readonly IPAM: { readonly Subnets?: Readonly<Record<string, SubnetStatus>> | null }
}

export interface SubnetStatus {
  readonly IPsInUse: number
  readonly DynamicIPsAvailable: number
}

export interface EndpointResource {
  readonly Name: string
  readonly EndpointID: string
  readonly MacAddress: string
  readonly IPv4Address: string
  readonly IPv6Address: string
}

export interface PeerInfo {
  readonly Name: string
  readonly IP: string
}

/** What the load balancer knows of a service. */
export interface ServiceInfo {
  readonly VIP: string
  readonly Ports?: readonly string[] | null
  readonly LocalLBIndex: number
  readonly Tasks?: readonly NetworkTask[] | null
}

export interface NetworkTask {
  readonly Name: string
  readonly EndpointID: string
  readonly EndpointIP: string
  readonly Info?: Labels | null
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
  readonly Mode?: ResolutionMode
  readonly Ports?: readonly PortConfig[] | null
}

/** `vip`, one address for all tasks, is the default; `dnsrr` answers with those of the tasks. */
export type ResolutionMode = 'vip' | 'dnsrr'

export interface PortConfig {
  readonly Name?: string
  readonly Protocol?: PortConfigProtocol
  readonly TargetPort?: Int64
  /** Absent or 0: the Engine chooses one from 30000 up. */
  readonly PublishedPort?: Int64
  readonly PublishMode?: PortConfigPublishMode
}

/** `tcp` is the default. */
export type PortConfigProtocol = 'tcp' | 'udp' | 'sctp'

/** `ingress`, on every node, is the default; `host`: only where the task runs. */
export type PortConfigPublishMode = 'ingress' | 'host'

export interface EndpointVirtualIP {
  readonly NetworkID?: string
  /** With prefix length, such as `10.0.1.2/24`. */
  readonly Addr?: string
}
