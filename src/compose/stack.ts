// The manifest after loading: interpolated, validated, merged and normalised, with the place of everything that a later
// message may be about. Field names are the manifest's own, in camelCase; units are in the comments.
import type { Position } from '../errors.ts'
import type { Written } from './asWritten.ts'

/** A whole number of any size: a bigint where a double could not hold it exactly. */
export type Integer = number | bigint

export interface Stack {
  /** The effective Compose schema version, `3.0` to `3.13`. */
  readonly version: string
  /** The top-level `name:`. */
  readonly name?: string | undefined
  /** Where it is set. */
  readonly namePosition?: Position | undefined
  /** Sorted by name, like every list of the stack that has names. */
  readonly services: readonly Service[]
  /** The names of services that are left out, since none of their profiles is active. */
  readonly inactive?: readonly string[] | undefined
  readonly networks: ReadonlyMap<string, NetworkDefinition>
  readonly volumes: ReadonlyMap<string, VolumeDefinition>
  readonly secrets: ReadonlyMap<string, FileDefinition>
  readonly configs: ReadonlyMap<string, FileDefinition>
  /** What variables have brought into the manifest: for keeping it out of messages, which show the manifest as written. */
  readonly written?: Written | undefined
}

export interface Service {
  readonly name: string
  /** Where a message about the service, or about one of these keys of it, belongs. */
  readonly places: { readonly service: Position } & Readonly<Partial<Record<ServicePlace, Position>>>
  /** Of the Compose Specification; none means that the service is always deployed. */
  readonly profiles?: readonly string[] | undefined
  readonly image: string
  /** Variables without a value that the image names, for the message about an image that thereby is none. */
  readonly imageVariables?: readonly string[] | undefined
  readonly command: readonly string[]
  readonly entrypoint: readonly string[]
  /** Env files and the step's environment already applied; null is a bare `KEY`. */
  readonly environment: ReadonlyMap<string, string | null>
  readonly hostname: string
  readonly user: string
  readonly workingDir: string
  readonly labels: ReadonlyMap<string, string>
  readonly capAdd: readonly string[]
  readonly capDrop: readonly string[]
  readonly configs: readonly FileReference[]
  readonly secrets: readonly FileReference[]
  readonly credentialSpec?: { readonly config: string; readonly file: string; readonly registry: string } | undefined
  readonly dns: readonly string[]
  readonly dnsSearch: readonly string[]
  /** Given at all, even empty: the docker CLI then sends an (empty) DNS configuration. */
  readonly dnsGiven: boolean
  /** `dns_opt` of the Compose Specification. */
  readonly dnsOptions?: readonly string[] | undefined
  /** `host:ip` in the manifest's order. */
  readonly extraHosts: readonly string[]
  /** `group_add` of the Compose Specification. */
  readonly groupAdd?: readonly string[] | undefined
  readonly healthcheck?: Healthcheck | undefined
  readonly init?: boolean | undefined
  readonly isolation: string
  readonly logging?: { readonly driver: string; readonly options: ReadonlyMap<string, string> } | undefined
  /** Undefined or empty means the network `default`. */
  readonly networks?: ReadonlyMap<string, ServiceNetwork> | undefined
  readonly oomScoreAdj: Integer
  readonly ports: readonly Port[]
  readonly readOnly: boolean
  /** The legacy `restart:`, used where `deploy.restartPolicy` is absent. */
  readonly restart: string
  readonly stdinOpen: boolean
  readonly stopGracePeriod?: Integer | undefined
  readonly stopSignal: string
  readonly sysctls: ReadonlyMap<string, string>
  readonly tty: boolean
  readonly ulimits: ReadonlyMap<string, Ulimit>
  readonly volumes: readonly ServiceVolume[]
  /** Swarm has nothing like it: only the order of the writes can follow it. */
  readonly dependsOn?: readonly Dependency[] | undefined
  readonly deploy: Deploy
}

/** Keys of a service whose place messages ask for; lists as `ports.0`, `volumes.2`, `secrets.1`, `deploy.update_config`. */
export type ServicePlace = string

export interface Dependency {
  /** The key of the other service. */
  readonly service: string
  /** `service_started`, `service_healthy` or `service_completed_successfully`; empty where not given. */
  readonly condition: string
  /** Whether it is a mistake if there is no such service. */
  readonly required: boolean
  readonly place: Position
}

export interface Ulimit {
  readonly soft: Integer
  readonly hard: Integer
}

export interface FileReference {
  /** The key among the stack's secrets or configs. */
  readonly source: string
  readonly target: string
  readonly uid: string
  readonly gid: string
  readonly mode?: Integer | undefined
  readonly place: Position
}

export interface Healthcheck {
  readonly test: readonly string[]
  /** Nanoseconds, as all durations here. */
  readonly interval?: Integer | undefined
  readonly timeout?: Integer | undefined
  readonly startPeriod?: Integer | undefined
  readonly startInterval?: Integer | undefined
  readonly retries?: Integer | undefined
  readonly disable: boolean
}

/** Null is a network listed without options. */
export type ServiceNetwork = {
  readonly aliases: readonly string[]
  readonly driverOpts: ReadonlyMap<string, string>
} | null

export interface Port {
  readonly mode: string
  readonly target: Integer
  readonly published: Integer
  readonly protocol: string
  /** Of the Compose Specification. */
  readonly name?: string | undefined
  readonly place: Position
}

export interface ServiceVolume {
  readonly type: string
  readonly source: string
  /** The source of a bind as the manifest writes it, where that is relative or begins with `~`: `source` is then a path of the runner. */
  readonly writtenSource?: string | undefined
  readonly target: string
  readonly readOnly: boolean
  readonly consistency: string
  /** Undefined where the block is absent, which differs from an empty one. */
  readonly bind?: { readonly propagation: string } | undefined
  readonly volume?:
    | {
        readonly nocopy: boolean
        readonly subpath: string
        /** Of the Compose Specification; docker loses them. */
        readonly labels?: ReadonlyMap<string, string> | undefined
      }
    | undefined
  readonly image?: { readonly subpath: string } | undefined
  readonly tmpfs?: { readonly size: Integer; readonly mode?: Integer | undefined } | undefined
  readonly cluster?: Readonly<Record<string, never>> | undefined
  readonly place: Position
}

export interface Deploy {
  readonly mode: string
  readonly replicas?: Integer | undefined
  readonly labels: ReadonlyMap<string, string>
  readonly updateConfig?: UpdateConfig | undefined
  readonly rollbackConfig?: UpdateConfig | undefined
  readonly resources: { readonly limits?: Limits | undefined; readonly reservations?: Reservations | undefined }
  readonly restartPolicy?: RestartPolicy | undefined
  readonly placement: Placement
  readonly endpointMode: string
}

export interface UpdateConfig {
  readonly parallelism?: Integer | undefined
  readonly delay: Integer
  readonly failureAction: string
  readonly monitor: Integer
  readonly maxFailureRatio: number
  readonly order: string
}

export interface Limits {
  /** Billionths of a processor; 0 where not given. */
  readonly nanoCpus: Integer
  readonly memoryBytes: Integer
  readonly pids: Integer
}

export interface Reservations {
  readonly nanoCpus: Integer
  readonly memoryBytes: Integer
  /** Undefined is an item without a `discrete_resource_spec`. */
  readonly genericResources: readonly ({ readonly kind: string; readonly value: Integer } | undefined)[]
}

export interface RestartPolicy {
  readonly condition: string
  readonly delay?: Integer | undefined
  readonly maxAttempts?: Integer | undefined
  readonly window?: Integer | undefined
}

export interface Placement {
  readonly constraints: readonly string[]
  /** Spread descriptors, in order. */
  readonly preferences: readonly string[]
  readonly maxReplicasPerNode: Integer
}

export interface NetworkDefinition {
  readonly name: string
  readonly driver: string
  readonly driverOpts: ReadonlyMap<string, string>
  readonly ipam?: Ipam | undefined
  /** `enable_ipv4` and `enable_ipv6` of the Compose Specification; undefined leaves it to the engine. */
  readonly enableIpv4?: boolean | undefined
  readonly enableIpv6?: boolean | undefined
  readonly external: boolean
  readonly internal: boolean
  readonly attachable: boolean
  readonly labels: ReadonlyMap<string, string>
  readonly place: Position
}

export interface Ipam {
  readonly driver: string
  readonly subnets: readonly string[]
  /** Of the Compose Specification. */
  readonly options?: ReadonlyMap<string, string> | undefined
  /** Instead of `subnets`, where one of them has more than a subnet. */
  readonly pools?: readonly IpamPool[] | undefined
}

export interface IpamPool {
  readonly subnet: string
  readonly ipRange: string
  readonly gateway: string
  readonly auxAddresses: ReadonlyMap<string, string>
}

export interface VolumeDefinition {
  readonly name: string
  readonly driver: string
  readonly driverOpts: ReadonlyMap<string, string>
  readonly external: boolean
  readonly labels: ReadonlyMap<string, string>
  readonly place: Position
}

/** A secret or a config. */
export interface FileDefinition {
  readonly name: string
  /** The content, read while loading; undefined for external objects and secrets with a driver. */
  readonly data?: Uint8Array | undefined
  /** The path that the manifest names, for messages. */
  readonly file: string
  readonly external: boolean
  readonly labels: ReadonlyMap<string, string>
  readonly driver: string
  readonly driverOpts: ReadonlyMap<string, string>
  readonly templateDriver: string
  readonly place: Position
}
