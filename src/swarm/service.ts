// Services and what their tasks are made from. Source: moby api/types/swarm/service.go, task.go, container.go and
// api/types/container (HealthConfig). Fields newer than API 1.41 name the version that brought them.
import type { Annotations, Driver, Int64, Labels, Meta, Nanoseconds, Platform, Timestamp, Version } from './common.ts'
import type { Mount } from './mount.ts'
import type { EndpointSpec, EndpointVirtualIP, NetworkAttachmentConfig, PortConfig } from './network.ts'
import type { Privileges } from './privileges.ts'

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
  readonly JobIteration: Partial<Version>
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
  readonly FailureAction?: FailureAction
  /** How long a new task is watched for failure; the engine's default is 5 s. */
  readonly Monitor?: Nanoseconds
  /** 0 to 1, a float32 on the wire. */
  readonly MaxFailureRatio?: number
  readonly Order?: UpdateOrder
}

/** `pause` is the default; `rollback` is for updates only. */
export type FailureAction = 'pause' | 'continue' | 'rollback'

/** `stop-first` is the default. The empty text means it too: docker sends it, and no engine answers it. */
export type UpdateOrder = 'stop-first' | 'start-first' | ''

export interface Endpoint {
  readonly Spec: EndpointSpec
  readonly Ports?: readonly PortConfig[] | null
  readonly VirtualIPs?: readonly EndpointVirtualIP[] | null
}

export interface TaskSpec {
  readonly ContainerSpec?: ContainerSpec | null
  /** Instead of `ContainerSpec`, for services that run a plugin, which only experimental engines have. */
  readonly PluginSpec?: PluginSpec | null
  /** Instead of `ContainerSpec`, for the task of a container that someone attached to a network by hand. */
  readonly NetworkAttachmentSpec?: NetworkAttachmentSpec | null
  readonly Resources?: ResourceRequirements | null
  readonly RestartPolicy?: RestartPolicy | null
  readonly Placement?: Placement | null
  readonly Networks?: readonly NetworkAttachmentConfig[] | null
  readonly LogDriver?: Driver | null
  /** A change of this counter alone restarts the tasks. */
  readonly ForceUpdate?: Int64
  readonly Runtime?: RuntimeType
}

export type RuntimeType = 'container' | 'plugin' | 'attachment'

/** Lower-case on the wire, unlike all else. Source: api/types/swarm/runtime. */
export interface PluginSpec {
  readonly name?: string
  readonly remote?: string
  readonly privileges?: readonly PluginPrivilege[] | null
  readonly disabled?: boolean
  readonly env?: readonly string[] | null
}

export interface PluginPrivilege {
  readonly name?: string
  readonly description?: string
  readonly value?: readonly string[] | null
}

export interface NetworkAttachmentSpec {
  readonly ContainerID?: string
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
  readonly Isolation?: Isolation
  readonly Sysctls?: Labels | null
  readonly CapabilityAdd?: readonly string[] | null
  readonly CapabilityDrop?: readonly string[] | null
  readonly Ulimits?: readonly Ulimit[] | null
  /** API 1.46. -1000 to 1000. */
  readonly OomScoreAdj?: number
}

/** Of Windows; elsewhere only `default` and the empty text are of use. An engine answers `default` for both. */
export type Isolation = '' | 'default' | 'process' | 'hyperv'

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
  readonly NamedResourceSpec?: NamedGenericResource | null
  readonly DiscreteResourceSpec?: DiscreteGenericResource | null
}

/** One of a kind, such as the GPU `UUID1`. */
export interface NamedGenericResource {
  readonly Kind?: string
  readonly Value?: string
}

/** A number of a kind. */
export interface DiscreteGenericResource {
  readonly Kind?: string
  readonly Value?: Int64
}

export interface RestartPolicy {
  readonly Condition?: RestartPolicyCondition
  readonly Delay?: Nanoseconds | null
  readonly MaxAttempts?: Int64 | null
  /** How long a task must have run for its end not to count as an attempt. */
  readonly Window?: Nanoseconds | null
}

/** `any` is the default. Engines before 1.12.0 was released wrote `on_failure`. */
export type RestartPolicyCondition = 'none' | 'on-failure' | 'any'

export interface Placement {
  readonly Constraints?: readonly string[] | null
  readonly Preferences?: readonly PlacementPreference[] | null
  /** Per node; 0 means no limit. */
  readonly MaxReplicas?: Int64
  readonly Platforms?: readonly Platform[] | null
}

export interface PlacementPreference {
  readonly Spread?: SpreadOver | null
}

export interface SpreadOver {
  /** A label, such as `node.labels.zone`. */
  readonly SpreadDescriptor?: string
}
