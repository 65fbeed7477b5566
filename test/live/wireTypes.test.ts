// The types of src/swarm against what an engine really answers: nothing they do not know, nothing they promise that is not there.
// Run on engines 20.10.24 (API 1.41), 26.1.5 (1.45), 28.5.2 (1.51) and 29.7.2 (1.55).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Backend } from '../../src/backend/backend.ts'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import type { SystemInfo } from '../../src/swarm/info.ts'
import type { Mount } from '../../src/swarm/mount.ts'
import type { Network, NetworkCreateRequest } from '../../src/swarm/network.ts'
import type { Node } from '../../src/swarm/node.ts'
import type { Config } from '../../src/swarm/secret.ts'
import type { Service, ServiceSpec } from '../../src/swarm/service.ts'
import type { Task } from '../../src/swarm/task.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { startBed } from '../support/bed.mjs'
import { engineCall } from '../support/engineCall.mjs'
import { everyField } from '../support/everyField.ts'
import { aServiceObject } from '../support/stackSpecs.ts'
import { wireTypes } from '../support/wireTypes.ts'

// One of its own: the worker answers otherwise than a manager, and other tests' stacks come and go.
const bed = await startBed({ name: `types-${process.pid}`, withWorker: true })
after(() => bed.stop())
const types = wireTypes()

const second = 1_000_000_000
const stack = 'wire'

/** What a manifest can't say for every engine since 20.10, or not at all. Older engines pass over members that they do not know. */
const extra: ServiceSpec = aServiceObject(stack, 'extra', {
  container: {
    Groups: ['5'],
    Privileges: {
      NoNewPrivileges: true,
      SELinuxContext: { Disable: true, Level: 's0' },
      Seccomp: { Mode: 'custom', Profile: Buffer.from('{"defaultAction":"SCMP_ACT_ALLOW"}').toString('base64') },
      AppArmor: { Mode: 'disabled' },
    },
    OomScoreAdj: 5,
    Healthcheck: { Test: ['CMD', 'true'], Interval: second, StartPeriod: second, StartInterval: second },
    DNSConfig: { Options: ['use-vc'] },
    Mounts: [
      {
        Type: 'tmpfs',
        Target: '/t',
        TmpfsOptions: { SizeBytes: 4096, Mode: 0o1777, Options: [['exec'], ['uid', '7']] },
      },
      {
        Type: 'bind',
        Source: '/tmp',
        Target: '/b',
        ReadOnly: true,
        BindOptions: { NonRecursive: true, CreateMountpoint: true, ReadOnlyNonRecursive: true },
      },
      {
        Type: 'bind',
        Source: '/var',
        Target: '/v',
        ReadOnly: true,
        BindOptions: { Propagation: 'rprivate', ReadOnlyForceRecursive: true },
      },
      { Type: 'volume', Source: 'wire_part', Target: '/p', VolumeOptions: { Subpath: 'part' } },
    ],
  },
  template: { Placement: { Platforms: [{ Architecture: 'x86_64', OS: 'linux' }] }, ForceUpdate: 1 },
  spec: { EndpointSpec: { Ports: [{ Name: 'diameter', Protocol: 'sctp', TargetPort: 3868, PublishMode: 'host' }] } },
}).spec

/** Networks that no manifest describes: with a range, of IPv6, and with another's configuration. */
const networks: readonly NetworkCreateRequest[] = [
  {
    Name: 'wire_ranged',
    Driver: 'overlay',
    IPAM: { Config: [{ Subnet: '10.97.3.0/24', IPRange: '10.97.3.128/25', Gateway: '10.97.3.1' }] },
  },
  { Name: 'wire_six', Driver: 'overlay', EnableIPv6: true, IPAM: { Config: [{ Subnet: 'fd97:3::/64' }] } },
  { Name: 'wire_settings', Driver: '', ConfigOnly: true, IPAM: { Config: [{ Subnet: '10.97.4.0/24' }] } },
  { Name: 'wire_from', Driver: 'macvlan', Scope: 'swarm', ConfigFrom: { Network: 'wire_settings' } },
]

/** A service whose networks are where they were before API 1.25. One that runs a plugin is for experimental engines only. */
const older: ServiceSpec = { ...aServiceObject(stack, 'older').spec, Networks: [{ Target: 'wire_front' }] }

/** Services that come to an end of each kind. */
const fates: readonly ServiceSpec[] = [
  service('pending', 'tb/ok:1', { Placement: { Constraints: ['node.labels.disk == none'] } }),
  service('missing', 'tb/nosuch:1', { RestartPolicy: { Condition: 'none' } }),
  service('paused', 'tb/ok:1'),
  service('net', 'tb/ok:1', { Networks: ['wire_ranged', 'wire_six', 'wire_from'].map((Target) => ({ Target })) }),
  service('back', 'tb/ok:1', {}, 'rollback'),
]

test('the types know all that the engine answers, and the engine answers all that they promise', async () => {
  const tunnel = await openUnixTunnel(bed.socket, AbortSignal.timeout(10_000))
  after(() => tunnel.close())
  await new Backend(openEngine(tunnel.agent)).deployStack(everyField(stack), 'never')
  await post('/secrets/create', { Name: 'wire_template', Data: 'aGk=', Labels: {}, Templating: { Name: 'golang' } })
  for (const network of networks) await post('/networks/create', network)
  await post('/configs/create', { Name: 'wire_template', Data: 'aGk=', Labels: {}, Templating: { Name: 'golang' } })
  for (const spec of [extra, older, ...fates, await credentials(), ...newer(await get('/version'))])
    await post('/services/create', spec)
  // Swarm makes a task for it, which belongs to no service: no list shows that.
  const attached = { Image: 'tb/ok:1', HostConfig: { NetworkMode: 'wire_front' } }
  await post('/containers/create?name=attached', attached)
  await post('/containers/attached/start')
  await until(['running paused', 'running back', 'running plain'])
  await update('plain', (spec) => withImage(spec, 'tb/ok:2'))
  await update('job', (spec) => spec)
  await update('paused', (spec) => withImage(spec, 'tb/crash:1'))
  await update('back', (spec) => withImage(spec, 'tb/crash:1'))

  const worker = (await get<Node[]>('/nodes')).find((node) => node.Spec.Role === 'worker')
  const paused = { ...worker?.Spec, Availability: 'pause', Labels: { disk: 'ssd' } }
  await post(`/nodes/${worker?.ID}/update?version=${worker?.Version.Index}`, paused)

  const problems = await until([
    'update completed plain',
    'update paused paused',
    'update rollback_completed back',
    'complete job',
    'rejected missing',
    'pending pending',
    'failed paused',
    'shutdown plain',
  ])
  assert.deepEqual(problems, [])
})

test('what a worker says of its swarm', async () => {
  assert.ok(bed.worker)
  const { Swarm } = await get<SystemInfo>('/info', bed.worker.socket)
  assert.deepEqual([Swarm.ControlAvailable, Swarm.RemoteManagers?.length], [false, 1])
  assert.deepEqual(types.problems(Swarm, 'Info', 'info.ts'), [])
})

// --- Internal helpers ---

/** A service with an account of Windows, kept in a config that no file shows. */
async function credentials(): Promise<ServiceSpec> {
  const [config] = await get<Config[]>('/configs')
  const ConfigID = config?.ID ?? ''
  return aServiceObject(stack, 'windows', {
    container: {
      Privileges: { CredentialSpec: { Config: ConfigID } },
      Configs: [{ ConfigID, ConfigName: config?.Spec.Name ?? '', Runtime: {} }],
    },
    spec: { Mode: { Replicated: { Replicas: 0 } } },
  }).spec
}

/** A service whose mount engines before 23 refuse. That of an image every engine refuses, up to 28.5. */
function newer({ ApiVersion }: { readonly ApiVersion: string }): readonly ServiceSpec[] {
  if (Number(ApiVersion.split('.')[1]) < 42) return []
  const mount: Mount = { Type: 'cluster', Source: 'group:ssd', Target: '/c', ClusterOptions: {} }
  return [aServiceObject(stack, 'csi', { container: { Mounts: [mount] } }).spec]
}

function service(
  key: string,
  image: string,
  template: Partial<ServiceSpec['TaskTemplate']> = {},
  onFailure: 'pause' | 'rollback' = 'pause',
): ServiceSpec {
  const EndpointSpec =
    key === 'paused'
      ? { Ports: [{ TargetPort: 8080, PublishedPort: 18_477, PublishMode: 'host' as const }] }
      : { Mode: 'dnsrr' as const }
  const UpdateConfig = { Parallelism: 1, FailureAction: onFailure, Monitor: second, MaxFailureRatio: 0 }
  const restarts = { RestartPolicy: { Condition: 'any' as const, Delay: second } }
  return aServiceObject(stack, key, {
    image,
    template: { ...restarts, ...template },
    spec: { UpdateConfig, EndpointSpec },
  }).spec
}

function withImage(spec: ServiceSpec, image: string): ServiceSpec {
  const { ContainerSpec, ...template } = spec.TaskTemplate
  return { ...spec, TaskTemplate: { ...template, ContainerSpec: { ...ContainerSpec, Image: image } } }
}

async function get<T>(path: string, socket = bed.socket): Promise<T> {
  return (await engineCall(socket, 'GET', path)).json as T
}

/** None where the engine has forgotten it since the list: nodes drop networks that they no longer need. */
async function inspected({ Id }: Network): Promise<readonly Network[]> {
  return get<Network>(`/networks/${Id}?verbose=true`).then(
    (network) => [network],
    (error: unknown) => {
      if (/404/.test(String(error))) return []
      throw error
    },
  )
}

async function post(path: string, body?: unknown): Promise<void> {
  await engineCall(bed.socket, 'POST', path, body)
}

async function update(key: string, change: (spec: ServiceSpec) => ServiceSpec): Promise<void> {
  const { ID, Version, Spec } = await get<Service>(`/services/wire_${key}`)
  await post(`/services/${ID}/update?version=${Version.Index}`, change(Spec))
}

/** Reads all there is, again and again, until everything named has been seen; answers what did not fit on the way. */
async function until(wanted: readonly string[]): Promise<readonly string[]> {
  const problems = new Set<string>()
  const seen = new Set<string>()
  const holds = (value: unknown, type: string, file: string): void => {
    for (const problem of types.problems(value, type, file)) problems.add(problem.replace(/\[\d+\]/g, '[]'))
  }
  for (const latest = Date.now() + 120_000; ; await sleep(300)) {
    const info = await get<SystemInfo>('/info')
    // Of the rest, which is the engine's own affair, the types have only what is looked at.
    holds(info.Swarm, 'Info', 'info.ts')
    holds(pick(info, types.describe('SystemInfo', 'info.ts')), 'SystemInfo', 'info.ts')
    holds(await get('/swarm'), 'Swarm', 'cluster.ts')
    const services = await get<Service[]>('/services?status=true')
    const tasks = await get<Task[]>('/tasks')
    const networks = await get<Network[]>('/networks')
    const lists: readonly (readonly [type: string, file: string, list: readonly unknown[]])[] = [
      ['Service', 'service.ts', services],
      ['Service', 'service.ts', await get('/services?insertDefaults=true')],
      ['Task', 'task.ts', tasks],
      ['Node', 'node.ts', await get('/nodes')],
      ['Network', 'network.ts', networks],
      ['Network', 'network.ts', (await Promise.all(networks.map(inspected))).flat()],
      ['Secret', 'secret.ts', await get('/secrets')],
      ['Config', 'secret.ts', await get('/configs')],
    ]
    for (const [type, file, list] of lists) {
      assert.ok(list.length > 0, `no ${type} to look at`)
      for (const one of list) holds(one, type, file)
    }
    const keys = new Map(services.map(({ ID, Spec }) => [ID, (Spec.Name ?? '').replace('wire_', '')]))
    for (const { ID, UpdateStatus } of services) seen.add(`update ${UpdateStatus?.State} ${keys.get(ID)}`)
    for (const { ServiceID, Status } of tasks) seen.add(`${Status.State} ${keys.get(ServiceID)}`)
    const missing = wanted.filter((what) => !seen.has(what))
    if (missing.length === 0) return [...problems].sort()
    assert.ok(Date.now() < latest, `never seen: ${missing.join(', ')}; so far ${[...problems].join('; ')}`)
  }
}

function pick(value: object, members: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => members.some((one) => one.replace('?', '') === name)),
  )
}
