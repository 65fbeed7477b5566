// The swarm as a whole: what `GET /swarm` answers, and what makes, joins and unlocks one.
// Source: moby api/types/swarm/swarm.go, up to API 1.51. Members that older or newer engines do without say so.
import type { Annotations, Driver, Int64, Labels, Meta, Nanoseconds } from './common.ts'
import type { NodeAvailability, NodeRole } from './node.ts'

/** `GET /swarm`, for managers only. The join tokens are credentials: never log them. */
export interface Swarm extends ClusterInfo {
  readonly JoinTokens: JoinTokens
}

/** What every manager may tell of its swarm, without credentials. */
export interface ClusterInfo extends Meta {
  readonly ID: string
  readonly Spec: Spec
  readonly TLSInfo: TLSInfo
  readonly RootRotationInProgress: boolean
  /** Subnets that overlay networks are cut from, such as `10.0.0.0/8`. */
  readonly DefaultAddrPool: readonly string[] | null
  /** Bits of the network part of each, such as 24. */
  readonly SubnetSize: number
  /** The UDP port of VXLAN. */
  readonly DataPathPort: number
}

export interface JoinTokens {
  readonly Worker: string
  readonly Manager: string
}

/** The certificate authority of a swarm or of a node. */
export interface TLSInfo {
  /** PEM. */
  readonly TrustRoot?: string
  /** Base64 of DER. */
  readonly CertIssuerSubject?: string | null
  /** Base64 of DER. */
  readonly CertIssuerPublicKey?: string | null
}

/** What can be set of a swarm. Its own `Name` is always `default`. */
export interface Spec extends Annotations {
  readonly Orchestration: OrchestrationConfig
  readonly Raft: RaftConfig
  readonly Dispatcher: DispatcherConfig
  readonly CAConfig: CAConfig
  readonly TaskDefaults: TaskDefaults
  readonly EncryptionConfig: EncryptionConfig
  /** Only in engines before 1.12.0 was released; join tokens took its place. */
  readonly AcceptancePolicy?: AcceptancePolicy
}

export interface OrchestrationConfig {
  /** How many ended tasks of a slot are remembered; absent means 5, negative all. */
  readonly TaskHistoryRetentionLimit?: Int64 | null
}

export interface RaftConfig {
  /** Log entries between snapshots. */
  readonly SnapshotInterval?: Int64
  readonly KeepOldSnapshots?: Int64 | null
  /** Log entries kept after a snapshot, for followers that lag behind. */
  readonly LogEntriesForSlowFollowers?: Int64
  /** In ticks, of which one is a second. */
  readonly ElectionTick: number
  readonly HeartbeatTick: number
}

export interface DispatcherConfig {
  /** How often a node reports to the managers. */
  readonly HeartbeatPeriod?: Nanoseconds
}

export interface CAConfig {
  /** How long a node's certificate is good for. */
  readonly NodeCertExpiry?: Nanoseconds
  readonly ExternalCAs?: readonly ExternalCA[] | null
  /** PEM; only in an update that rotates the authority. */
  readonly SigningCACert?: string
  /** PEM, secret; only in such an update. */
  readonly SigningCAKey?: string
  /** A change of this counter rotates the authority. */
  readonly ForceRotate?: Int64
}

export interface ExternalCA {
  readonly Protocol: ExternalCAProtocol
  readonly URL: string
  readonly Options?: Labels | null
  /** PEM. */
  readonly CACert: string
}

export type ExternalCAProtocol = 'cfssl'

/** What tasks get that say nothing else. Engines take it, and no one from 20.10 to 28.5 answers it. */
export interface TaskDefaults {
  readonly LogDriver?: Driver | null
}

export interface EncryptionConfig {
  /** Managers ask for the unlock key when they start. */
  readonly AutoLockManagers: boolean
}

/** Only in engines before 1.12.0 was released: which nodes were let in. */
export interface AcceptancePolicy {
  readonly Policies?: readonly Policy[] | null
}

/** Likewise: whether nodes of a role were let in by themselves, and by which secret. */
export interface Policy {
  readonly Role: NodeRole
  readonly Autoaccept: boolean
  readonly Secret?: string | null
}

/** The body of `POST /swarm/init`. Addresses are `host:port`, or the name of an interface. */
export interface InitRequest {
  readonly ListenAddr: string
  readonly AdvertiseAddr?: string
  readonly DataPathAddr?: string
  /** UDP, from 1024 to 49151; 0 means 4789. */
  readonly DataPathPort?: number
  readonly ForceNewCluster?: boolean
  readonly Spec?: Partial<Spec>
  readonly AutoLockManagers?: boolean
  readonly Availability?: NodeAvailability
  readonly DefaultAddrPool?: readonly string[] | null
  readonly SubnetSize?: number
}

/** The body of `POST /swarm/join`. */
export interface JoinRequest {
  readonly ListenAddr: string
  readonly AdvertiseAddr?: string
  readonly DataPathAddr?: string
  /** Managers, any one of which will do. */
  readonly RemoteAddrs: readonly string[]
  /** A credential; it also says whether the node becomes a worker or a manager. */
  readonly JoinToken: string
  readonly Availability?: NodeAvailability
  /** These three only in engines before 1.12.0 was released; the join token took their place. */
  readonly Secret?: string
  readonly CACertHash?: string
  readonly Manager?: boolean
}

/** The body of `POST /swarm/unlock`. */
export interface UnlockRequest {
  /** A credential. */
  readonly UnlockKey: string
}

/** Of `GET /swarm/unlockkey`. */
export interface UnlockKeyResponse {
  /** A credential; empty where the swarm is not locked. */
  readonly UnlockKey: string
}

/** Query parameters of `POST /swarm/update`. */
export interface UpdateFlags {
  readonly RotateWorkerToken: boolean
  readonly RotateManagerToken: boolean
  readonly RotateManagerUnlockKey: boolean
}
