// What an engine says of itself and of its swarm. Source: moby api/types/system/info.go and api/types/swarm/swarm.go.
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

export type LocalNodeState = 'inactive' | 'pending' | 'active' | 'error' | 'locked'

export interface Info {
  readonly NodeID: string
  readonly NodeAddr?: string
  readonly LocalNodeState: LocalNodeState
  /** True on a manager, even one without quorum. */
  readonly ControlAvailable: boolean
  readonly Error: string
  readonly RemoteManagers?: readonly Peer[] | null
  readonly Nodes?: number
  readonly Managers?: number
  /** Only on managers. */
  readonly Cluster?: { readonly ID: string } | null
}

export interface Peer {
  readonly NodeID: string
  readonly Addr: string
}
