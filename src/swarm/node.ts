// Nodes. Source: moby api/types/swarm/node.go.
import type { Annotations, Int64, Labels, Meta, Platform } from './common.ts'
import type { GenericResource } from './service.ts'

export interface Node extends Meta {
  readonly ID: string
  readonly Spec: NodeSpec
  readonly Description: NodeDescription
  readonly Status: NodeStatus
  /** Only for managers. */
  readonly ManagerStatus?: ManagerStatus | null
}

export interface NodeSpec extends Annotations {
  readonly Role?: 'worker' | 'manager'
  readonly Membership?: string
  readonly Availability?: 'active' | 'pause' | 'drain'
}

export interface NodeDescription {
  readonly Hostname?: string
  readonly Platform?: Platform
  readonly Resources?: {
    readonly NanoCPUs?: Int64
    readonly MemoryBytes?: Int64
    readonly GenericResources?: readonly GenericResource[] | null
  }
  readonly Engine?: EngineDescription
}

export interface EngineDescription {
  readonly EngineVersion?: string
  readonly Labels?: Labels | null
  readonly Plugins?: readonly { readonly Type?: string; readonly Name?: string }[] | null
}

export interface NodeStatus {
  readonly State?: 'unknown' | 'down' | 'ready' | 'disconnected'
  readonly Message?: string
  readonly Addr?: string
}

export interface ManagerStatus {
  readonly Leader?: boolean
  readonly Reachability?: 'unknown' | 'unreachable' | 'reachable'
  readonly Addr?: string
}
