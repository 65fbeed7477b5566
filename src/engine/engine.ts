// The Engine API as the rest of the action sees it: typed calls, one round trip each. The real one is in dockerEngine.ts,
// the tests' in-memory swarm is another; both pass test/support/engineContract.ts.

import type { Platform } from '../swarm/common.ts'
import type { Container } from '../swarm/container.ts'
import type { SystemInfo } from '../swarm/info.ts'
import type { Network, NetworkCreateRequest } from '../swarm/network.ts'
import type { Node } from '../swarm/node.ts'
import type { Config, ConfigSpec, Secret, SecretSpec } from '../swarm/secret.ts'
import type { Service, ServiceSpec } from '../swarm/service.ts'
import type { Task } from '../swarm/task.ts'

/** The daemon's filters: `{label: ['com.docker.stack.namespace=shop']}`. Name filters match prefixes: compare exactly afterwards. */
export type Filters = Readonly<Record<string, readonly string[]>>

export interface CallOptions {
  /** Ends the call early; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface WriteOptions extends CallOptions {
  /** The whole `X-Registry-Auth` header; without it an update keeps the credential that the swarm has. */
  readonly registryAuth?: string | undefined
}

export interface UpdateOptions extends WriteOptions {
  /** Without a header: which stored credential stays, the service's own or that of the spec before. */
  readonly registryAuthFrom?: 'spec' | 'previous-spec' | undefined
}

/** Every method rejects with an `EngineError`. */
export interface Engine {
  /** What the daemon speaks, such as `1.51`; known after the first call. */
  readonly apiVersion: string | undefined
  info(options?: CallOptions): Promise<SystemInfo>

  listNetworks(filters?: Filters, options?: CallOptions): Promise<readonly Network[]>
  /** By id or name. */
  inspectNetwork(id: string, options?: CallOptions): Promise<Network>
  createNetwork(
    request: NetworkCreateRequest,
    options?: CallOptions,
  ): Promise<{ readonly id: string; readonly warning: string }>
  removeNetwork(id: string, options?: CallOptions): Promise<void>

  listSecrets(filters?: Filters, options?: CallOptions): Promise<readonly Secret[]>
  createSecret(spec: SecretSpec, options?: CallOptions): Promise<string>
  updateSecret(id: string, version: number, spec: SecretSpec, options?: CallOptions): Promise<void>
  removeSecret(id: string, options?: CallOptions): Promise<void>

  listConfigs(filters?: Filters, options?: CallOptions): Promise<readonly Config[]>
  inspectConfig(id: string, options?: CallOptions): Promise<Config>
  createConfig(spec: ConfigSpec, options?: CallOptions): Promise<string>
  updateConfig(id: string, version: number, spec: ConfigSpec, options?: CallOptions): Promise<void>
  removeConfig(id: string, options?: CallOptions): Promise<void>

  listServices(filters?: Filters, options?: CallOptions): Promise<readonly Service[]>
  inspectService(id: string, options?: CallOptions): Promise<Service>
  createService(
    spec: ServiceSpec,
    options?: WriteOptions,
  ): Promise<{ readonly id: string; readonly warnings: readonly string[] }>
  updateService(
    id: string,
    version: number,
    spec: ServiceSpec,
    options?: UpdateOptions,
  ): Promise<{ readonly warnings: readonly string[] }>
  removeService(id: string, options?: CallOptions): Promise<void>

  listTasks(filters?: Filters, options?: CallOptions): Promise<readonly Task[]>
  listNodes(filters?: Filters, options?: CallOptions): Promise<readonly Node[]>

  listVolumes(filters?: Filters, options?: CallOptions): Promise<readonly { readonly Name: string }[]>
  removeVolume(name: string, options?: CallOptions): Promise<void>

  /** What the registry answers for an image, asked by the manager. */
  inspectDistribution(
    image: string,
    options?: WriteOptions,
  ): Promise<{ readonly digest: string; readonly platforms: readonly Platform[] }>
  /** The last lines of a task's log, oldest first, each with its RFC 3339 time stamp and stream. */
  taskLogs(taskId: string, tail: number, options?: CallOptions): Promise<readonly LogLine[]>
  /** A container of the node that answers; one of another node is `not-found`. */
  inspectContainer(id: string, options?: CallOptions): Promise<Container>
}

export interface LogLine {
  readonly timestamp: string
  readonly stream: 'stdout' | 'stderr'
  /** One line, as the container wrote it: untrusted. */
  readonly text: string
}

export type EngineErrorKind =
  | 'not-found'
  | 'version-conflict'
  | 'already-exists'
  | 'unauthorized'
  | 'refused'
  | 'passing'
  | 'connection'

/** A call that the daemon refused, or that never reached it. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly kind: EngineErrorKind
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number
  /** The way to the engine is gone for good: asking again is of no use. */
  readonly isFinal: boolean
  /** The call found no way to the engine, and cannot have had an effect. */
  readonly isUnsent: boolean

  constructor(kind: EngineErrorKind, status: number, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.kind = kind
    this.status = status
    const { cause } = this
    this.isFinal = cause instanceof Error && 'final' in cause && cause.final === true
    this.isUnsent = cause instanceof Error && 'unsent' in cause && cause.unsent === true
  }
}

/** Whether asking again may help: the daemon, or the way to it, had a bad moment. */
export function mayPass(error: unknown): error is EngineError {
  return error instanceof EngineError && (error.kind === 'passing' || error.kind === 'connection')
}
