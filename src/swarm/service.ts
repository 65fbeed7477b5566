// Services and what their tasks are made from. Source: moby api/types/swarm/service.go, task.go, container.go,
// api/types/mount and api/types/container (HealthConfig). Fields newer than API 1.41 name the version that brought them.
import type { Annotations, Driver, Int64, Labels, Meta, Nanoseconds, Platform, Timestamp } from './common.ts'
import type { EndpointSpec, EndpointVirtualIP, NetworkAttachmentConfig, PortConfig } from './network.ts'

export interface Service extends Meta {
  readonly ID: string
  readonly Spec: ServiceSpec
  /** The spec before the last update; a rollback goes back to it. */
  readonly PreviousSpec?: ServiceSpec | null
  readonly Endpoint?: Endpoint
  /** Absent until the first update, and for a moment after each. */
  readonly UpdateStatus?: UpdateStatus | null
  /** Only in a list with `status=true` (API 1.41). */
  readonly ServiceStatus?: ServiceStatus | null
  /** Only for jobs (API 1.41). */
  readonly JobStatus?: JobStatus | null
}

export interface ServiceSpec extends Annotations {
  readonly TaskTemplate: TaskSpec
  readonly Mode?: ServiceMode
  readonly UpdateConfig?: UpdateConfig | null
  readonly RollbackConfig?: UpdateConfig | null
  /** Deprecated: networks belong to the task template. */
  readonly Networks?: readonly NetworkAttachmentConfig[] | null
  readonly EndpointSpec?: EndpointSpec | null
}

/** Exactly one member is set. */
export interface ServiceMode {
  readonly Replicated?: ReplicatedService | null
  readonly Global?: GlobalService | null
  readonly ReplicatedJob?: ReplicatedJob | null
  readonly GlobalJob?: GlobalJob | null
}

export interface ReplicatedService {
  /** Absent means 1. */
  readonly Replicas?: Int64 | null
}

export type GlobalService = Readonly<Record<string, never>>
export type GlobalJob = Readonly<Record<string, never>>

export interface ReplicatedJob {
  /** How many run at once; absent means 1. */
  readonly MaxConcurrent?: Int64 | null
  /** How many have to complete; absent means `MaxConcurrent`. */
  readonly TotalCompletions?: Int64 | null
}

export interface JobStatus {
  /** Grows by one with each update: only tasks of this iteration count. */
  readonly JobIteration: { readonly Index?: number }
  readonly LastExecution?: Timestamp
}

export interface ServiceStatus {
  readonly RunningTasks: number
  readonly DesiredTasks: number
  readonly CompletedTasks: number
}

export type UpdateState =
  | 'updating'
  | 'paused'
  | 'completed'
  | 'rollback_started'
  | 'rollback_paused'
  | 'rollback_completed'

export interface UpdateStatus {
  readonly State?: UpdateState | ''
  /** A rollback keeps the start of the update that it undoes. */
  readonly StartedAt?: Timestamp | null
  readonly CompletedAt?: Timestamp | null
  readonly Message?: string
}

export interface UpdateConfig {
  /** Tasks updated at once; 0 means all. */
  readonly Parallelism?: Int64
  readonly Delay?: Nanoseconds
  /** `pause` (the default), `continue`, or for updates `rollback`. */
  readonly FailureAction?: string
  /** How long a new task is watched for failure; the engine's default is 5 s. */
  readonly Monitor?: Nanoseconds
  /** 0 to 1, a float32 on the wire. */
  readonly MaxFailureRatio?: number
  /** `stop-first` (the default) or `start-first`. */
  readonly Order?: string
}

export interface Endpoint {
  readonly Spec?: EndpointSpec
  readonly Ports?: readonly PortConfig[] | null
  readonly VirtualIPs?: readonly EndpointVirtualIP[] | null
}

export interface TaskSpec {
  readonly ContainerSpec?: ContainerSpec | null
  readonly PluginSpec?: unknown
  readonly NetworkAttachmentSpec?: unknown
  readonly Resources?: ResourceRequirements | null
  readonly RestartPolicy?: RestartPolicy | null
  readonly Placement?: Placement | null
  readonly Networks?: readonly NetworkAttachmentConfig[] | null
  readonly LogDriver?: Driver | null
  /** A change of this counter alone restarts the tasks. */
  readonly ForceUpdate?: Int64
  readonly Runtime?: string
}

export interface ContainerSpec {
  readonly Image?: string
  readonly Labels?: Labels | null
  /** The compose `entrypoint`. */
  readonly Command?: readonly string[] | null
  /** The compose `command`. */
  readonly Args?: readonly string[] | null
  readonly Hostname?: string
  /** `KEY=value`, or a bare `KEY`. */
  readonly Env?: readonly string[] | null
  readonly Dir?: string
  readonly User?: string
  readonly Groups?: readonly string[] | null
  readonly Privileges?: Privileges | null
  /** Three values: absent leaves it to the engine. */
  readonly Init?: boolean | null
  readonly StopSignal?: string
  readonly TTY?: boolean
  readonly OpenStdin?: boolean
  readonly ReadOnly?: boolean
  readonly Mounts?: readonly Mount[] | null
  readonly StopGracePeriod?: Nanoseconds | null
  readonly Healthcheck?: HealthConfig | null
  /** Lines of /etc/hosts: `IP name`. */
  readonly Hosts?: readonly string[] | null
  readonly DNSConfig?: DNSConfig | null
  readonly Secrets?: readonly SecretReference[] | null
  readonly Configs?: readonly ConfigReference[] | null
  readonly Isolation?: string
  readonly Sysctls?: Labels | null
  readonly CapabilityAdd?: readonly string[] | null
  readonly CapabilityDrop?: readonly string[] | null
  readonly Ulimits?: readonly Ulimit[] | null
  /** API 1.46. -1000 to 1000. */
  readonly OomScoreAdj?: number
}

export interface Privileges {
  readonly CredentialSpec?: CredentialSpec | null
  readonly SELinuxContext?: unknown
  readonly Seccomp?: unknown
  readonly AppArmor?: unknown
  readonly NoNewPrivileges?: boolean
}

export interface CredentialSpec {
  /** The id of a config. */
  readonly Config?: string
  readonly File?: string
  readonly Registry?: string
}

export interface HealthConfig {
  /** `[]` inherits the image's, `['NONE']` switches it off, else `CMD …` or `CMD-SHELL text`. */
  readonly Test?: readonly string[] | null
  readonly Interval?: Nanoseconds
  readonly Timeout?: Nanoseconds
  readonly StartPeriod?: Nanoseconds
  /** API 1.44. */
  readonly StartInterval?: Nanoseconds
  readonly Retries?: Int64
}

export interface DNSConfig {
  readonly Nameservers?: readonly string[] | null
  readonly Search?: readonly string[] | null
  readonly Options?: readonly string[] | null
}

/** Where a secret or config appears in the container. */
export interface FileTarget {
  readonly Name: string
  readonly UID: string
  readonly GID: string
  /** Permission bits as a number: 0444 is 292. */
  readonly Mode: Int64
}

export interface SecretReference {
  readonly File?: FileTarget | null
  readonly SecretID: string
  readonly SecretName: string
}

export interface ConfigReference {
  readonly File?: FileTarget | null
  /** Set instead of `File` where only the engine uses it (credential specs). */
  readonly Runtime?: Readonly<Record<string, never>> | null
  readonly ConfigID: string
  readonly ConfigName: string
}

export interface Ulimit {
  readonly Name: string
  readonly Hard: Int64
  readonly Soft: Int64
}

export type MountType = 'bind' | 'volume' | 'tmpfs' | 'npipe' | 'image' | 'cluster'

export interface Mount {
  readonly Type?: MountType
  readonly Source?: string
  readonly Target?: string
  readonly ReadOnly?: boolean
  readonly Consistency?: string
  readonly BindOptions?: { readonly Propagation?: string; readonly [option: string]: unknown } | null
  readonly VolumeOptions?: VolumeOptions | null
  readonly ImageOptions?: { readonly Subpath?: string } | null
  readonly TmpfsOptions?: { readonly SizeBytes?: Int64; readonly [option: string]: unknown } | null
  readonly ClusterOptions?: Readonly<Record<string, never>> | null
}

export interface VolumeOptions {
  readonly NoCopy?: boolean
  readonly Labels?: Labels | null
  /** API 1.45. */
  readonly Subpath?: string
  readonly DriverConfig?: Driver | null
}

export interface ResourceRequirements {
  readonly Limits?: ResourceLimits | null
  readonly Reservations?: Resources | null
}

export interface ResourceLimits {
  /** Billionths of a processor. */
  readonly NanoCPUs?: Int64
  readonly MemoryBytes?: Int64
  readonly Pids?: Int64
}

export interface Resources {
  readonly NanoCPUs?: Int64
  readonly MemoryBytes?: Int64
  readonly GenericResources?: readonly GenericResource[] | null
}

export interface GenericResource {
  readonly NamedResourceSpec?: { readonly Kind?: string; readonly Value?: string }
  readonly DiscreteResourceSpec?: { readonly Kind?: string; readonly Value?: Int64 }
}

export interface RestartPolicy {
  /** `none`, `on-failure` or `any` (the default). */
  readonly Condition?: string
  readonly Delay?: Nanoseconds | null
  readonly MaxAttempts?: Int64 | null
  readonly Window?: Nanoseconds | null
}

export interface Placement {
  readonly Constraints?: readonly string[] | null
  readonly Preferences?: readonly PlacementPreference[] | null
  /** Per node; 0 means no limit. */
  readonly MaxReplicas?: Int64
  readonly Platforms?: readonly Platform[] | null
}

export interface PlacementPreference {
  readonly Spread?: { readonly SpreadDescriptor?: string } | null
}
