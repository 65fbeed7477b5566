// What an engine says of itself and of its swarm. Source: moby api/types/system/info.go and api/types/swarm/swarm.go.
import type { ClusterInfo } from './cluster.ts'
import type { Timestamp } from './common.ts'

/** The part of `GET /info` that a deployment looks at. */
export interface SystemInfo {
  readonly ID?: string
  readonly Name: string
  readonly ServerVersion: string
  /** The engine's clock when it answered. */
  readonly SystemTime?: Timestamp
  readonly Swarm: Info
}

/** `locked`: the node's keys are encrypted, and someone has to give the unlock key. */
export type LocalNodeState = 'inactive' | 'pending' | 'active' | 'error' | 'locked'

export interface Info {
  /** Empty where the engine is in no swarm, like all texts here. */
  readonly NodeID: string
  readonly NodeAddr: string
  readonly LocalNodeState: LocalNodeState
  /** True on a manager, even one without quorum. */
  readonly ControlAvailable: boolean
  readonly Error: string
  /** Of a worker all managers that it knows, of a manager itself too; null in no swarm. */
  readonly RemoteManagers: readonly Peer[] | null
  /** Only on managers with quorum, as the two that follow. */
  readonly Nodes?: number
  readonly Managers?: number
  readonly Cluster?: ClusterInfo | null
  /** API 1.40: such as that two managers can't stand the loss of one. */
  readonly Warnings?: readonly string[] | null
  /** Only in engines before 1.12.0 was released. */
  readonly CACertHash?: string
}

/** The header `Swarm` of `GET /_ping`, as `active/manager` (API 1.42). */
export interface Status {
  readonly NodeState: LocalNodeState
  readonly ControlAvailable: boolean
}

export interface Peer {
  readonly NodeID: string
  /** `host:port`. */
  readonly Addr: string
}
