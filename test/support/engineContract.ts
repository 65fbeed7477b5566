// What every Engine promises, whether real or in memory. The rest of the tests may then use either.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, EngineError, type EngineErrorKind } from '../../src/engine/engine.ts'
import type { Service, ServiceSpec } from '../../src/swarm/service.ts'
import type { Task } from '../../src/swarm/task.ts'

export interface OpenedEngine {
  readonly engine: Engine
  close(): Promise<void>
}

/**
 * Runs the promises as one suite. `open` answers a manager of an empty swarm that has the image `tb/ok:1`, which runs on. Everything
 * the suite makes begins with `contract`, and it removes all of it.
 */
export function engineContract(name: string, open: () => Promise<OpenedEngine>): void {
  describe(`engine contract: ${name}`, () => {
    let opened: OpenedEngine
    let engine: Engine
    before(async () => {
      opened = await open()
      engine = opened.engine
    })
    after(() => opened.close())

    test('info tells a manager of an active swarm, with its cluster and its clock', async () => {
      const { Swarm, SystemTime, ServerVersion } = await engine.info()
      assert.equal(Swarm.LocalNodeState, 'active')
      assert.equal(Swarm.ControlAvailable, true)
      assert.ok(Swarm.Cluster?.ID)
      assert.ok(ServerVersion)
      assert.ok(!Number.isNaN(Date.parse(SystemTime ?? '')))
      assert.match(engine.apiVersion ?? '', /^1\.\d+$/)
    })

    test('one ready node, a leader', async () => {
      const [node] = await engine.listNodes()
      assert.equal(node?.Status.State, 'ready')
      assert.equal(node?.Spec.Availability, 'active')
      assert.equal(node?.ManagerStatus?.Leader, true)
      assert.equal(node?.ID, (await engine.info()).Swarm.NodeID)
      assert.ok(node?.Description.Hostname)
    })

    test('networks: created once, found by label, read by name and id, removed', async () => {
      const labels = { 'contract.kind': 'network' }
      const { id } = await engine.createNetwork({ Name: 'contract_net', Driver: 'overlay', Labels: labels })
      // A fresh network has no driver for the moment until the swarm has allocated it.
      const listed = await eventually(async () => {
        const found = await engine.listNetworks({ label: ['contract.kind=network'] })
        return found.every((network) => network.Driver !== '') ? found : undefined
      })
      assert.deepEqual(
        listed.map((network) => [network.Id, network.Name, network.Scope, network.Driver, network.Labels]),
        [[id, 'contract_net', 'swarm', 'overlay', labels]],
      )
      assert.equal((await engine.inspectNetwork('contract_net')).Id, id)
      assert.equal((await engine.inspectNetwork(id)).Name, 'contract_net')
      await rejects(engine.createNetwork({ Name: 'contract_net', Driver: 'overlay' }), 'already-exists')
      await engine.removeNetwork(id)
      await rejects(engine.inspectNetwork(id), 'not-found')
      await rejects(engine.removeNetwork(id), 'not-found')
    })

    test('secrets: data goes in and never comes back; labels change; data may not', async () => {
      const spec = { Name: 'contract_secret', Labels: { 'contract.kind': 'secret' }, Data: base64('one') }
      const id = await engine.createSecret(spec)
      await rejects(engine.createSecret(spec), 'already-exists')
      const [secret] = await engine.listSecrets({ label: ['contract.kind=secret'] })
      assert.equal(secret?.ID, id)
      assert.equal(secret?.Spec.Name, 'contract_secret')
      assert.equal(secret?.Spec.Data, undefined)
      const version = secret?.Version.Index ?? 0
      await engine.updateSecret(id, version, { ...spec, Labels: { ...spec.Labels, more: 'yes' } })
      await rejects(engine.updateSecret(id, version, spec), 'version-conflict')
      const [changed] = await engine.listSecrets({ name: ['contract_secret'] })
      assert.equal(changed?.Spec.Labels?.more, 'yes')
      const newer = changed?.Version.Index ?? 0
      assert.ok(newer > version)
      await rejects(engine.updateSecret(id, newer, { ...spec, Data: base64('two') }), 'refused')
      // The data is compared before the version: with one that can't be, a secret can be compared without a write.
      await rejects(engine.updateSecret(id, 0, { ...spec, Data: base64('two') }), 'refused')
      await rejects(engine.updateSecret(id, 0, spec), 'version-conflict')
      assert.deepEqual(await engine.listSecrets({ name: ['contract_secret'] }), [changed])
      await engine.updateSecret(id, newer, spec)
      await engine.removeSecret(id)
      await rejects(engine.removeSecret(id), 'not-found')
    })

    test('configs: data comes back as it went in', async () => {
      const spec = { Name: 'contract_config', Labels: { 'contract.kind': 'config' }, Data: base64('a: "ü"\n') }
      const id = await engine.createConfig(spec)
      await rejects(engine.createConfig(spec), 'already-exists')
      assert.equal((await engine.inspectConfig(id)).Spec.Data, spec.Data)
      const [config] = await engine.listConfigs({ label: ['contract.kind=config'] })
      assert.equal(config?.Spec.Data, spec.Data)
      const version = config?.Version.Index ?? 0
      await rejects(engine.updateConfig(id, version, { ...spec, Data: base64('b') }), 'refused')
      await engine.updateConfig(id, version, { ...spec, Labels: {} })
      await rejects(engine.updateConfig(id, version, spec), 'version-conflict')
      await engine.removeConfig(id)
      await rejects(engine.inspectConfig(id), 'not-found')
    })

    test('lists of nothing are empty, and name filters match prefixes', async () => {
      const ids = [
        await engine.createConfig({ Name: 'contract_a', Data: base64('a') }),
        await engine.createConfig({ Name: 'contract_ab', Data: base64('ab') }),
      ]
      const names = (await engine.listConfigs({ name: ['contract_a'] })).map((config) => config.Spec.Name)
      assert.deepEqual(names.sort(), ['contract_a', 'contract_ab'])
      for (const id of ids) await engine.removeConfig(id)
      const none = { label: ['contract.kind=nothing'] }
      assert.deepEqual(await engine.listConfigs(none), [])
      assert.deepEqual(await engine.listSecrets(none), [])
      assert.deepEqual(await engine.listServices(none), [])
      assert.deepEqual(await engine.listNetworks(none), [])
      assert.deepEqual(await engine.listVolumes(none), [])
    })

    test('a service is created, read back exactly, updated, and refuses a stale version', async () => {
      // One more than a double can hold, and a span in nanoseconds.
      const limit = 2n ** 53n + 1n
      const spec: ServiceSpec = {
        ...serviceSpec('contract_exact'),
        TaskTemplate: {
          ContainerSpec: { Image: 'tb/ok:1', StopGracePeriod: 1_500_000_000, Env: ['A=b=c', 'U=ü'] },
          Resources: { Limits: { MemoryBytes: limit } },
        },
        Mode: { Replicated: { Replicas: 0 } },
      }
      const { id } = await engine.createService(spec)
      await rejects(engine.createService(spec), 'already-exists')
      const service = await engine.inspectService(id)
      assert.equal(service.Spec.TaskTemplate.Resources?.Limits?.MemoryBytes, limit)
      assert.equal(service.Spec.TaskTemplate.ContainerSpec?.StopGracePeriod, 1_500_000_000)
      assert.deepEqual(service.Spec.TaskTemplate.ContainerSpec?.Env, ['A=b=c', 'U=ü'])
      assert.equal((await engine.inspectService('contract_exact')).ID, id)
      assert.equal(service.PreviousSpec ?? undefined, undefined)

      const { warnings } = await engine.updateService(id, service.Version.Index, {
        ...service.Spec,
        Labels: { ...service.Spec.Labels, round: 'two' },
      })
      assert.deepEqual(warnings, [])
      await rejects(engine.updateService(id, service.Version.Index, service.Spec), 'version-conflict')
      const [updated] = await engine.listServices({ name: ['contract_exact'] })
      assert.equal(updated?.Spec.Labels?.round, 'two')
      assert.equal(updated?.Spec.TaskTemplate.Resources?.Limits?.MemoryBytes, limit)
      assert.equal(updated?.PreviousSpec?.Labels?.round, undefined)
      assert.ok(updated?.PreviousSpec)
      await engine.removeService(id)
      await rejects(engine.inspectService(id), 'not-found')
      await rejects(engine.updateService(id, 1, service.Spec), 'not-found')
      await rejects(engine.removeService(id), 'not-found')
    })

    test('what is no spec is refused, and says why', async () => {
      await rejects(engine.createService(serviceSpec('contract.dotted')), 'refused')
      await rejects(engine.inspectService('contract_absent'), 'not-found')
    })

    test('tasks appear, run, are found by service, and a log can be read', async () => {
      const { id } = await engine.createService(serviceSpec('contract_running'))
      const task = await eventually(async () => (await tasksOf(id)).find((one) => one.Status.State === 'running'))
      assert.equal(task.ServiceID, id)
      assert.equal(task.DesiredState, 'running')
      assert.equal(task.Slot, 1)
      assert.equal(task.Spec.ContainerSpec?.Image, 'tb/ok:1')
      assert.equal(task.NodeID, (await engine.info()).Swarm.NodeID)
      assert.ok(!Number.isNaN(Date.parse(task.CreatedAt)))
      assert.deepEqual(
        (await engine.listTasks({ service: ['contract_running'] })).map((one) => one.ID),
        [task.ID],
      )
      assert.ok(Array.isArray(await engine.taskLogs(task.ID, 5)))
      const containerId = task.Status.ContainerStatus?.ContainerID ?? ''
      const container = await engine.inspectContainer(containerId)
      assert.equal(container.Id, containerId)
      assert.equal(container.State.OOMKilled, false)
      await rejects(engine.inspectContainer('0123456789ab'), 'not-found')
      const [listed] = await engine.listServices({ id: [id] })
      assert.equal(listed?.ID, id)
      await engine.removeService(id)
    })

    test('an update of the task makes new tasks, and moves the service on', async () => {
      const { id } = await engine.createService(serviceSpec('contract_moving'))
      const before = await eventually(async () => (await tasksOf(id)).find((one) => one.Status.State === 'running'))
      const service = await engine.inspectService(id)
      const spec = withEnv(service, ['ROUND=2'])
      await engine.updateService(id, service.Version.Index, spec)
      const now = await eventually(async () =>
        (await tasksOf(id)).find((one) => one.ID !== before.ID && one.Status.State === 'running'),
      )
      assert.deepEqual(now.Spec.ContainerSpec?.Env, ['ROUND=2'])
      const done = await eventually(async () => {
        const read = await engine.inspectService(id)
        return read.UpdateStatus?.State === 'completed' ? read : undefined
      })
      assert.ok(Date.parse(done.UpdatedAt) >= Date.parse(service.UpdatedAt))
      assert.ok(Date.parse(now.CreatedAt) >= Date.parse(service.UpdatedAt))
      const old = (await tasksOf(id)).find((one) => one.ID === before.ID)
      assert.ok(old === undefined || old.DesiredState === 'shutdown')
      await engine.removeService(id)
    })

    test('a secret in use cannot be removed', async () => {
      const secretId = await engine.createSecret({ Name: 'contract_used', Data: base64('x') })
      const base = serviceSpec('contract_user')
      const { id } = await engine.createService({
        ...base,
        TaskTemplate: {
          ...base.TaskTemplate,
          ContainerSpec: {
            Image: 'tb/ok:1',
            Secrets: [
              {
                SecretID: secretId,
                SecretName: 'contract_used',
                File: { Name: 'used', UID: '0', GID: '0', Mode: 0o444 },
              },
            ],
          },
        },
        Mode: { Replicated: { Replicas: 0 } },
      })
      await rejects(engine.removeSecret(secretId), 'refused')
      await engine.removeService(id)
      await engine.removeSecret(secretId)
    })

    test('a volume that is not there cannot be removed', async () => {
      await rejects(engine.removeVolume('contract_absent'), 'not-found')
    })

    test('a signal that is aborted already ends a call with its reason', async () => {
      const reason = new Error('enough')
      await assert.rejects(engine.listServices({}, { signal: AbortSignal.abort(reason) }), (error) => error === reason)
    })

    async function tasksOf(serviceId: string): Promise<readonly Task[]> {
      return engine.listTasks({ service: [serviceId] })
    }
  })
}

function serviceSpec(name: string): ServiceSpec {
  return {
    Name: name,
    Labels: { 'contract.kind': 'service' },
    // busybox httpd as the first process ignores TERM: a short grace period keeps the suite short.
    TaskTemplate: { ContainerSpec: { Image: 'tb/ok:1', StopGracePeriod: 1_000_000_000 } },
    Mode: { Replicated: { Replicas: 1 } },
    UpdateConfig: { Parallelism: 1, Monitor: 100_000_000 },
  }
}

function withEnv(service: Service, env: readonly string[]): ServiceSpec {
  const { TaskTemplate, ...rest } = service.Spec
  return { ...rest, TaskTemplate: { ...TaskTemplate, ContainerSpec: { ...TaskTemplate.ContainerSpec, Env: env } } }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

async function rejects(call: Promise<unknown>, kind: EngineErrorKind): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof EngineError, String(error))
    assert.equal(error.kind, kind, error.message)
    assert.ok(error.message.length > 10)
    return true
  })
}

/** Polls until there is something; the real swarm takes a moment for everything. */
async function eventually<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(100)) {
    const found = await read()
    if (found !== undefined) return found
  }
  throw new Error('it did not come about within 30 s')
}
