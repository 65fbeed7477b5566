// Nodes. Source: moby api/types/swarm/node.go.
import type { TLSInfo } from './cluster.ts'
import type { Topology } from './clusterVolume.ts'
import type { Annotations, Int64, Labels, Meta, Platform } from './common.ts'
import type { Resources } from './service.ts'

export interface Node extends Meta {
  readonly ID: string
  readonly Spec: NodeSpec
  readonly Description: NodeDescription
  readonly Status: NodeStatus
  /** Only for managers. */
  readonly ManagerStatus?: ManagerStatus | null
}

/** What can be set of a node. Its `Name` is nearly always absent: people call it by its host name. */
export interface NodeSpec extends Annotations {
  readonly Role?: NodeRole
  /** Only in engines before 1.12.0 was released. */
  readonly Membership?: NodeMembership
  readonly Availability?: NodeAvailability
}

export type NodeRole = 'worker' | 'manager'

/** Only in engines before 1.12.0 was released. */
export type NodeMembership = 'pending' | 'accepted'

/** `pause`: no new tasks; `drain`: none at all. */
export type NodeAvailability = 'active' | 'pause' | 'drain'

/** What the node tells of itself; almost empty until it has for the first time. */
export interface NodeDescription {
  readonly Hostname?: string
  readonly Platform?: Platform
  /** What the node has, in total. */
  readonly Resources?: Resources
  readonly Engine?: EngineDescription
  readonly TLSInfo?: TLSInfo
  /** API 1.42. */
  readonly CSIInfo?: readonly NodeCSIInfo[] | null
}

export interface EngineDescription {
  readonly EngineVersion?: string
  readonly Labels?: Labels | null
  readonly Plugins?: readonly PluginDescription[] | null
}

export interface PluginDescription {
  /** Such as `Volume`, `Network`, `Log`. */
  readonly Type?: string
  readonly Name?: string
}

/** What a CSI plugin says of the node. */
export interface NodeCSIInfo {
  readonly PluginName?: string
  /** The plugin's own name for the node, not Swarm's. */
  readonly NodeID?: string
  readonly MaxVolumesPerNode?: Int64
  readonly AccessibleTopology?: Topology | null
}

export type NodeState = 'unknown' | 'down' | 'ready' | 'disconnected'

export interface NodeStatus {
  readonly State?: NodeState
  readonly Message?: string
  /** Without a port. */
  readonly Addr?: string
}

export type Reachability = 'unknown' | 'unreachable' | 'reachable'

export interface ManagerStatus {
  readonly Leader?: boolean
  readonly Reachability?: Reachability
  /** `host:port`. */
  readonly Addr?: string
}
