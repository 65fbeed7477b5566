// A swarm in memory, for tests of what is written and when. It answers as the real engine does, as far as that was measured:
// both pass test/support/backendContract.ts.
import { isDeepStrictEqual } from 'node:util'
import type { Engine, EngineError, EngineErrorKind, Filters } from '../../src/engine/engine.ts'
import { isNativeJob, modeOf } from '../../src/health/mode.ts'
import type { Labels, Platform } from '../../src/swarm/common.ts'
import type { Network } from '../../src/swarm/network.ts'
import type { Node } from '../../src/swarm/node.ts'
import type { Config, ConfigSpec, Secret, SecretSpec } from '../../src/swarm/secret.ts'
import type { Service, ServiceSpec } from '../../src/swarm/service.ts'
import type { Task } from '../../src/swarm/task.ts'
import { fault, known, outOfSequence } from './memoryFaults.ts'
import { fileStore } from './memoryFiles.ts'
import { storedSpec } from './memorySpec.ts'
import { type Behaviour, behaviourOfImage, orchestrate, templateOf } from './memoryTasks.ts'
import { aNode, infoOf, networkFrom, samePort } from './memoryValues.ts'

type Call = Exclude<keyof Engine, 'apiVersion'>

export interface MemorySwarm {
  readonly engine: Engine
  /** Every write that was accepted, such as `create service shop_web`. */
  readonly writes: string[]
  /** Every call made, reads too: `listServices`. */
  readonly calls: Call[]
  /** The `X-Registry-Auth` header of each write of a service and each look-up, `''` where there was none. */
  readonly auths: string[]
  service(name: string): Service
  tasksOf(name: string): readonly Task[]
  secret(name: string): Secret
  config(name: string): Config
  network(name: string): Network
  /** What images do from now on. */
  behave(behaviour: (image: string) => Behaviour): void
  /** Sets what a registry answers for an image. */
  publish(image: string, digest: string, platforms?: readonly Platform[]): void
  /** Changes a service behind everybody's back, as another client would. */
  tamper(name: string, change: (spec: ServiceSpec) => ServiceSpec): void
  /** Does something just before the next call of that kind reaches the swarm: a race. */
  before(call: Call, action: () => unknown): void
  /** The next call of that kind fails; with `afterwards`, once the swarm has done it. */
  failNext(
    call: Call,
    kind: EngineErrorKind,
    options?: { readonly message?: string; readonly afterwards?: boolean },
  ): void
}

export interface MemorySwarmOptions {
  readonly nodes?: readonly Node[]
  readonly apiVersion?: string
  /** Milliseconds since the epoch at which the swarm's clock begins; each event takes one. */
  readonly startsAt?: number
}

export function createMemorySwarm({
  nodes = [aNode('node-a')],
  apiVersion = '1.51',
  startsAt = Date.UTC(2026, 0, 1),
}: MemorySwarmOptions = {}): MemorySwarm {
  let clock = startsAt
  let lastId = 0
  let lastVersion = 10
  let behaviour = behaviourOfImage
  const writes: string[] = []
  const calls: Call[] = []
  const auths: string[] = []
  const networks = new Map<string, Network>()
  const secrets = new Map<string, Secret & { readonly Spec: { readonly Data?: string } }>()
  const configs = new Map<string, Config>()
  const services = new Map<string, Service>()
  let tasks: readonly Task[] = []
  const volumes = new Map<string, Labels>()
  const published = new Map<string, { readonly digest: string; readonly platforms: readonly Platform[] }>()
  const hooks: { readonly call: Call; readonly action: () => unknown }[] = []
  const faults: { readonly call: Call; readonly error: EngineError; readonly afterwards: boolean }[] = []

  const newId = (): string => `${(++lastId).toString().padStart(4, '0')}memory`.padEnd(25, 'x')
  const time = (): string => new Date(++clock).toISOString()
  const born = () => {
    const now = time()
    return { ID: newId(), Version: { Index: ++lastVersion }, CreatedAt: now, UpdatedAt: now }
  }
  const touched = () => ({ Version: { Index: ++lastVersion }, UpdatedAt: time() })

  for (const [Name, Driver, Scope] of [
    ['ingress', 'overlay', 'swarm'],
    ['bridge', 'bridge', 'local'],
    ['host', 'host', 'local'],
    ['none', 'null', 'local'],
  ] as const) {
    const id = newId()
    networks.set(id, { Id: id, Name, Driver, Scope, Ingress: Name === 'ingress', Labels: {}, Options: {} })
  }
  // Swarm's own host and bridge: no list shows them.
  const hidden = new Map(
    ['host', 'bridge'].map((Name): [string, Network] => {
      const id = newId()
      return [id, { Id: id, Name, Driver: Name, Scope: 'swarm', Labels: { 'com.docker.swarm.predefined': 'true' } }]
    }),
  )

  const networkOf = (target: string): Network => {
    const swarmWide = [...hidden.values(), ...networks.values()].filter((network) => network.Scope === 'swarm')
    const found = swarmWide.find(({ Id, Name }) => Id === target || Name === target)
    if (found !== undefined) return found
    if ([...networks.values()].some(({ Name }) => Name === target)) {
      throw fault(
        'refused',
        403,
        `The network ${target} cannot be used with services. Only networks scoped to the swarm can be used, such as those created with the overlay driver.`,
      )
    }
    throw fault('refused', 500, `network ${target} not found`)
  }
  const userOf = (uses: (spec: ServiceSpec) => boolean): Service | undefined =>
    [...services.values()].find((service) => uses(service.Spec))
  const settle = (service: Service, isUpdate: boolean): void => {
    const result = orchestrate(service, tasks, isUpdate, { nodes, behaviour: (image) => behaviour(image), newId, time })
    tasks = result.tasks
    if (result.state === undefined) return
    const now = time()
    const rolledBack = result.state === 'rollback_completed' && service.PreviousSpec
    const { PreviousSpec: _previous, ...rest } = service
    services.set(service.ID, {
      ...(rolledBack ? { ...rest, Spec: rolledBack } : service),
      ...touched(),
      // A rollback keeps the start of the update that it undoes.
      UpdateStatus: { State: result.state, StartedAt: service.UpdatedAt ?? now, CompletedAt: now },
    })
  }
  const check = (spec: ServiceSpec): void => {
    if (!/^[A-Za-z0-9][-_A-Za-z0-9]*$/.test(spec.Name ?? '')) {
      throw fault('refused', 400, 'name must be valid as a DNS name component')
    }
    const { Secrets = [], Configs = [] } = spec.TaskTemplate.ContainerSpec ?? {}
    for (const { SecretID, SecretName } of Secrets ?? []) {
      if (!secrets.has(SecretID)) throw fault('refused', 400, `secret not found: ${SecretName}`)
    }
    for (const { ConfigID, ConfigName } of Configs ?? []) {
      if (!configs.has(ConfigID)) throw fault('refused', 400, `config not found: ${ConfigName}`)
    }
    for (const port of spec.EndpointSpec?.Ports ?? []) {
      const taken = userOf(
        (other) => other.Name !== spec.Name && (other.EndpointSpec?.Ports ?? []).some((known) => samePort(known, port)),
      )
      if (taken)
        throw fault(
          'refused',
          400,
          `port '${port.PublishedPort}' is already in use by service '${taken.Spec.Name}' (${taken.ID}) as an ingress port`,
        )
    }
  }
  const write = (what: string): void => {
    writes.push(what)
  }
  /** Nodes make the volumes that a task mounts, with the labels of the mount. */
  const makeVolumes = (spec: ServiceSpec): void => {
    for (const { Type, Source, VolumeOptions } of spec.TaskTemplate.ContainerSpec?.Mounts ?? []) {
      if (Type === 'volume' && Source && !volumes.has(Source)) volumes.set(Source, VolumeOptions?.Labels ?? {})
    }
  }
  const mounts = (spec: ServiceSpec, name: string): boolean =>
    (spec.TaskTemplate.ContainerSpec?.Mounts ?? []).some(({ Type, Source }) => Type === 'volume' && Source === name)

  const owner = { born, touched, userOf, wrote: write }
  const secretStore = fileStore<SecretSpec, Secret>(
    'secret',
    secrets,
    (spec, id) => (spec.TaskTemplate.ContainerSpec?.Secrets ?? []).some((reference) => reference.SecretID === id),
    owner,
  )
  const configStore = fileStore<ConfigSpec, Config>(
    'config',
    configs,
    (spec, id) => (spec.TaskTemplate.ContainerSpec?.Configs ?? []).some((reference) => reference.ConfigID === id),
    owner,
  )

  /** Runs hooks and faults around a call, and hands out copies. */
  const call = async <T>(name: Call, work: () => T, signal?: AbortSignal): Promise<T> => {
    signal?.throwIfAborted()
    calls.push(name)
    const hook = hooks.findIndex((candidate) => candidate.call === name)
    if (hook !== -1) await hooks.splice(hook, 1)[0]?.action()
    const index = faults.findIndex((candidate) => candidate.call === name)
    const due = index === -1 ? undefined : faults.splice(index, 1)[0]
    if (due && !due.afterwards) throw due.error
    const result = structuredClone(work())
    if (due) throw due.error
    return result
  }
  const byLabels = (filters: Filters | undefined, labels: Labels | null | undefined): boolean =>
    (filters?.label ?? []).every((wanted) => {
      const [key = '', ...value] = wanted.split('=')
      return labels?.[key] !== undefined && (value.length === 0 || labels[key] === value.join('='))
    })
  const matches = (
    filters: Filters | undefined,
    id: string,
    name: string,
    labels: Labels | null | undefined,
  ): boolean =>
    byLabels(filters, labels) &&
    (filters?.name?.some((prefix) => name.startsWith(prefix)) ?? true) &&
    (filters?.id?.some((prefix) => id.startsWith(prefix)) ?? true)

  const engine: Engine = {
    apiVersion,
    info: (options) => call('info', () => infoOf(nodes, clock), options?.signal),

    listNetworks: (filters, options) =>
      call(
        'listNetworks',
        () => [...networks.values()].filter((network) => matches(filters, network.Id, network.Name, network.Labels)),
        options?.signal,
      ),
    inspectNetwork: (id, options) =>
      call(
        'inspectNetwork',
        () => {
          const found = [...hidden.values(), ...networks.values()].find(
            (network) => network.Id === id || network.Name === id,
          )
          if (found === undefined) throw fault('not-found', 404, `network ${id} not found`)
          return found
        },
        options?.signal,
      ),
    createNetwork: (request) =>
      call('createNetwork', () => {
        if ([...networks.values()].some(({ Name, Scope }) => Name === request.Name && Scope === 'swarm')) {
          throw fault('already-exists', 409, `network with name ${request.Name} already exists`)
        }
        const network = networkFrom(request, newId(), time())
        networks.set(network.Id, network)
        write(`create network ${request.Name}`)
        return { id: network.Id, warning: '' }
      }),
    removeNetwork: (id) =>
      call('removeNetwork', () => {
        const found = [...networks.values()].find((network) => network.Id === id || network.Name === id)
        if (found === undefined) throw fault('not-found', 404, `network ${id} not found`)
        const user = userOf((spec) => (spec.TaskTemplate.Networks ?? []).some(({ Target }) => Target === found.Id))
        if (user) throw fault('refused', 400, `network ${found.Id} is in use by service ${user.ID}`)
        networks.delete(found.Id)
        write(`remove network ${found.Name}`)
      }),

    listSecrets: (filters, options) =>
      call(
        'listSecrets',
        () =>
          [...secrets.values()]
            .filter(({ ID, Spec }) => matches(filters, ID, Spec.Name ?? '', Spec.Labels))
            .map(withoutData),
        options?.signal,
      ),
    createSecret: (spec) => call('createSecret', () => secretStore.create(spec)),
    updateSecret: (id, version, spec) => call('updateSecret', () => secretStore.update(id, version, spec)),
    removeSecret: (id) => call('removeSecret', () => secretStore.remove(id)),

    listConfigs: (filters, options) =>
      call(
        'listConfigs',
        () => [...configs.values()].filter(({ ID, Spec }) => matches(filters, ID, Spec.Name ?? '', Spec.Labels)),
        options?.signal,
      ),
    inspectConfig: (id, options) => call('inspectConfig', () => known(configs, id, 'config'), options?.signal),
    createConfig: (spec) => call('createConfig', () => configStore.create(spec)),
    updateConfig: (id, version, spec) => call('updateConfig', () => configStore.update(id, version, spec)),
    removeConfig: (id) => call('removeConfig', () => configStore.remove(id)),

    listServices: (filters, options) =>
      call(
        'listServices',
        () => [...services.values()].filter(({ ID, Spec }) => matches(filters, ID, Spec.Name ?? '', Spec.Labels)),
        options?.signal,
      ),
    inspectService: (id, options) => call('inspectService', () => known(services, id, 'service'), options?.signal),
    createService: (spec, options) =>
      call('createService', () => {
        auths.push(options?.registryAuth ?? '')
        const name = spec.Name ?? ''
        if (userOf((live) => live.Name === name)) {
          throw fault('already-exists', 409, `name conflicts with an existing object: service ${name} already exists`)
        }
        const stored = storedSpec(spec, networkOf)
        check(stored)
        const meta = born()
        const job = isNativeJob(modeOf(stored)) && { JobStatus: { JobIteration: {}, LastExecution: meta.CreatedAt } }
        const service: Service = { ...meta, Spec: stored, Endpoint: { Spec: {} }, ...job }
        services.set(service.ID, service)
        makeVolumes(stored)
        settle(service, false)
        write(`create service ${name}`)
        return { id: service.ID, warnings: [] }
      }),
    updateService: (id, version, spec, options) =>
      call('updateService', () => {
        auths.push(options?.registryAuth ?? '')
        const live = known(services, id, 'service')
        if (live.Version.Index !== version) throw outOfSequence()
        const stored = storedSpec(spec, networkOf)
        if (modeOf(stored) !== modeOf(live.Spec)) throw fault('refused', 501, 'service mode change is not allowed')
        check(stored)
        const { UpdateStatus: _cleared, ...rest } = live
        const iteration = live.JobStatus?.JobIteration.Index ?? 0
        const service: Service = {
          ...rest,
          ...touched(),
          Spec: stored,
          PreviousSpec: live.Spec,
          ...(live.JobStatus && { JobStatus: { JobIteration: { Index: iteration + 1 } } }),
        }
        services.set(service.ID, service)
        settle(service, true)
        write(`update service ${live.Spec.Name}`)
        return { warnings: [] }
      }),
    removeService: (id) =>
      call('removeService', () => {
        const live = known(services, id, 'service')
        services.delete(live.ID)
        tasks = tasks.filter((task) => task.ServiceID !== live.ID)
        write(`remove service ${live.Spec.Name}`)
      }),

    listTasks: (filters, options) =>
      call(
        'listTasks',
        () =>
          tasks.filter((task) => {
            const service = services.get(task.ServiceID)
            if (service === undefined || !byLabels(filters, service.Spec.Labels)) return false
            const wanted = filters?.service
            if (wanted && !wanted.includes(service.ID) && !wanted.includes(service.Spec.Name ?? '')) return false
            return filters?.['_up-to-date'] === undefined || isDeepStrictEqual(task.Spec, templateOf(service))
          }),
        options?.signal,
      ),
    listNodes: (_filters, options) => call('listNodes', () => [...nodes], options?.signal),

    listVolumes: (filters) =>
      call('listVolumes', () =>
        [...volumes].filter(([, labels]) => byLabels(filters, labels)).map(([Name]) => ({ Name })),
      ),
    removeVolume: (name) =>
      call('removeVolume', () => {
        if (!volumes.has(name)) throw fault('not-found', 404, `get ${name}: no such volume`)
        const user = userOf((spec) => mounts(spec, name))
        if (user) throw fault('refused', 409, `remove ${name}: volume is in use - [${user.ID}]`)
        volumes.delete(name)
        write(`remove volume ${name}`)
      }),

    inspectDistribution: (image, options) =>
      call(
        'inspectDistribution',
        () => {
          auths.push(options?.registryAuth ?? '')
          const found = published.get(image)
          if (found === undefined) throw fault('refused', 500, `Get "https://registry.invalid/v2/": no such host`)
          return found
        },
        options?.signal,
      ),
    taskLogs: (_id, _tail, options) => call('taskLogs', () => [], options?.signal),
    inspectContainer: (id, options) =>
      call(
        'inspectContainer',
        () => {
          const task = tasks.find((one) => one.Status.ContainerStatus?.ContainerID === id)
          if (task === undefined) throw fault('not-found', 404, `No such container: ${id}`)
          return { Id: id, State: { OOMKilled: false, ExitCode: task.Status.ContainerStatus?.ExitCode ?? 0 } }
        },
        options?.signal,
      ),
  }

  const named = <T extends { readonly Spec: { readonly Name?: string } }>(
    store: ReadonlyMap<string, T>,
    name: string,
  ): T => {
    const found = [...store.values()].find(({ Spec }) => Spec.Name === name)
    if (found === undefined) throw new Error(`the in-memory swarm has no ${name}`)
    return structuredClone(found)
  }
  return {
    engine,
    writes,
    calls,
    auths,
    service: (name) => named(services, name),
    tasksOf: (name) => structuredClone(tasks.filter((task) => task.ServiceID === named(services, name).ID)),
    secret: (name) => named(secrets, name),
    config: (name) => named(configs, name),
    network: (name) => {
      const found = [...networks.values()].find((network) => network.Name === name)
      if (found === undefined) throw new Error(`the in-memory swarm has no network ${name}`)
      return found
    },
    behave: (next) => {
      behaviour = next
    },
    publish: (image, digest, platforms = []) => published.set(image, { digest, platforms }),
    tamper: (name, change) => {
      const live = named(services, name)
      services.set(live.ID, { ...live, ...touched(), Spec: change(live.Spec), PreviousSpec: live.Spec })
    },
    before: (name, action) => hooks.push({ call: name, action }),
    failNext: (name, kind, { message = 'the bad moment', afterwards = false } = {}) =>
      faults.push({ call: name, error: fault(kind, kind === 'connection' ? 0 : 500, message), afterwards }),
  }
}

// --- Internal helpers ---

function withoutData(secret: Secret): Secret {
  const { Data: _never, ...spec } = secret.Spec
  return { ...secret, Spec: spec }
}
