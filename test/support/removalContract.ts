// What the Backend promises of removals, whatever swarm is behind the engine: run on the in-memory one and on a real one.
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { type BackendOptions, withDefaults } from '../../src/backend/options.ts'
import { removeVolumes } from '../../src/backend/removeVolumes.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { type Engine, EngineError } from '../../src/engine/engine.ts'
import { NAMESPACE_LABEL, RELEASE_LABEL, TYPE_LABEL } from '../../src/swarm/names.ts'
import { heardBackend } from './heardBackend.ts'
import { losingAnswer, losingCall, racing, refusing } from './racing.ts'
import { refusal } from './refusal.ts'
import { stackNames } from './stackNames.ts'
import {
  aFileObject,
  aNetworkObject,
  aServiceObject,
  aStackSpec,
  configReference,
  type ServiceParts,
} from './stackSpecs.ts'
import { until } from './until.ts'

const CALLS = {
  service: 'removeService',
  config: 'removeConfig',
  secret: 'removeSecret',
  network: 'removeNetwork',
} as const

type Kind = keyof typeof CALLS

const KINDS: readonly Kind[] = ['service', 'config', 'secret', 'network']

/** @param prefix of the stacks' names, so that a shared swarm shows whose they are */
export function removalContract(title: string, engine: Engine, prefix: string): void {
  const { fresh, takeUsed } = stackNames(prefix)
  const run = (on: Engine = engine, options: BackendOptions = {}) => heardBackend(on, options)
  const idle: ServiceParts = { spec: { Mode: { Replicated: { Replicas: 0 } } } }
  /** One object of each kind, and no task. */
  const oneOfEach = (namespace: string): StackSpec =>
    aStackSpec(namespace, {
      networks: [aNetworkObject(namespace, 'front')],
      secrets: [aFileObject(namespace, 'key', 's3cret')],
      configs: [aFileObject(namespace, 'conf', 'hello')],
      services: [aServiceObject(namespace, 'web', idle)],
    })
  const deploy = (spec: StackSpec) => run().backend.deployStack(spec, 'never')
  const names = (namespace: string): Readonly<Record<Kind, string>> => ({
    service: `${namespace}_web`,
    config: `${namespace}_conf`,
    secret: `${namespace}_key`,
    network: `${namespace}_front`,
  })
  const left = async (namespace: string): Promise<readonly string[]> => {
    const label = { label: [`${NAMESPACE_LABEL}=${namespace}`] }
    const stored = (kind: Kind, objects: readonly { readonly Spec: { readonly Name?: string } }[]) =>
      objects.map(({ Spec }) => `${kind} ${Spec.Name}`)
    return [
      ...stored('service', await engine.listServices(label)),
      ...stored('config', await engine.listConfigs(label)),
      ...stored('secret', await engine.listSecrets(label)),
      ...(await engine.listNetworks(label)).map(({ Name }) => `network ${Name}`),
    ]
  }
  /** Removes an object as another client would. */
  const removeBehind = async (kind: Kind, namespace: string): Promise<void> => {
    const label = { label: [`${NAMESPACE_LABEL}=${namespace}`] }
    switch (kind) {
      case 'service':
        for (const { ID } of await engine.listServices(label)) await engine.removeService(ID)
        return
      case 'config':
        for (const { ID } of await engine.listConfigs(label)) await engine.removeConfig(ID)
        return
      case 'secret':
        for (const { ID } of await engine.listSecrets(label)) await engine.removeSecret(ID)
        return
      case 'network':
        for (const { Id } of await engine.listNetworks(label)) await engine.removeNetwork(Id)
    }
  }
  const record = (name: string, labels: Readonly<Record<string, string>>) =>
    run().backend.createConfig(name, Buffer.from('data'), { [TYPE_LABEL]: 'release', ...labels })
  const configNames = async (): Promise<readonly string[]> =>
    (await run().backend.listConfigs()).map(({ name }) => name).filter((name) => name.includes(prefix))

  describe(title, { concurrency: false }, () => {
    afterEach(async () => {
      for (const namespace of takeUsed()) {
        await until(`${namespace} is gone`, async () => {
          await run()
            .backend.removeStack(namespace)
            .catch(() => {})
          return (await left(namespace)).length === 0
        })
        for (const { ID } of await engine.listConfigs({ label: [`${RELEASE_LABEL}=${namespace}`] })) {
          await engine.removeConfig(ID)
        }
        for (const name of await run().backend.stackVolumes(namespace)) await run().backend.removeVolume(name)
      }
    })

    test('a stack without a name is refused, since it would be every stack', async () => {
      const { backend, journal } = run()
      assert.equal((await refusal(backend.removeStack(''))).code, 'input')
      assert.equal((await refusal(backend.planRemoval('', true))).code, 'input')
      assert.throws(() => backend.sweepOf(''), { code: 'input' })
      assert.equal(journal.wroteAnything, false)
    })

    for (const kind of KINDS) {
      test(`a ${kind} that someone else removes meanwhile counts as removed, and the rest goes too`, async () => {
        const namespace = fresh()
        await deploy(oneOfEach(namespace))
        const { backend, journal } = run(racing(engine, CALLS[kind], () => removeBehind(kind, namespace)))
        await backend.removeStack(namespace)
        const all = KINDS.map((one) => `${one} ${names(namespace)[one]}`)
        assert.deepEqual(journal.report(), { applied: all, notApplied: [], unknown: [] })
        await until('nothing is left', async () => (await left(namespace)).length === 0)
      })

      test(`a failed removal of a ${kind} that left nothing behind is none`, async () => {
        const namespace = fresh()
        await deploy(oneOfEach(namespace))
        const { backend, journal } = run(refusing(engine, CALLS[kind], 'it was not to be found', true))
        await until('the removal is accepted', async () => {
          const accepted = await backend.removeStack(namespace).then(
            () => true,
            () => false,
          )
          return accepted
        })
        assert.deepEqual(journal.report().notApplied, [])
        assert.deepEqual(journal.report().unknown, [])
        assert.equal(journal.report().applied.length, 4)
        await until('nothing is left', async () => (await left(namespace)).length === 0)
      })

      test(`a ${kind} that can not be removed is named with the engine's words, and the rest goes`, async () => {
        const namespace = fresh()
        await deploy(oneOfEach(namespace))
        const { backend, journal } = run(refusing(engine, CALLS[kind], 'the engine will not'))
        const error = await refusal(backend.removeStack(namespace))
        const name = `${kind} ${names(namespace)[kind]}`
        assert.match(
          error.message,
          new RegExp(`^stack ${namespace} is removed only in part; left: ${name}: the engine will not`),
        )
        assert.ok(error.remedy)
        const { applied, notApplied, unknown } = journal.report()
        assert.deepEqual([applied.length, notApplied, unknown], [3, [name], []])
        await until('the rest is gone', async () => (await left(namespace)).join() === name)
      })
    }

    test('a call whose answer is lost is made again, and so is one that is lost', async () => {
      for (const broken of [losingAnswer, losingCall]) {
        const namespace = fresh()
        await deploy(oneOfEach(namespace))
        const { backend, journal } = run(broken(broken(engine, 'removeService'), 'removeSecret'))
        await backend.removeStack(namespace)
        assert.deepEqual(journal.report().unknown, [])
        assert.equal(journal.report().applied.length, 4)
      }
    })

    test('what is left can not be read after a failure: both are told', async () => {
      const namespace = fresh()
      await deploy(oneOfEach(namespace))
      let looks = 0
      const failing = new Proxy(refusing(engine, 'removeSecret', 'the secret stays'), {
        get(target, property) {
          if (property !== 'listSecrets' || looks++ === 0) return Reflect.get(target, property)
          return () => Promise.reject(new EngineError('refused', 500, 'no list of secrets'))
        },
      })
      await assert.rejects(run(failing).backend.removeStack(namespace), /the secret stays; no list of secrets/)
    })

    test('a run that is stopped removes nothing more, and tells what is done from what is not', async () => {
      const namespace = fresh()
      await deploy(oneOfEach(namespace))
      const stop = new AbortController()
      const stopping = racing(engine, 'removeConfig', async () => stop.abort(new Error('cancelled')))
      const { backend, journal } = run(stopping, { signal: stop.signal })
      assert.equal((await refusal(backend.removeStack(namespace))).code, 'cancelled')
      const { service, config, secret, network } = names(namespace)
      assert.deepEqual(journal.report(), {
        applied: [`service ${service}`, `config ${config}`],
        notApplied: [`secret ${secret}`, `network ${network}`],
        unknown: [],
      })
      assert.deepEqual(await left(namespace), [`secret ${secret}`, `network ${network}`])
    })

    test('every generation of a config goes, and release records stay until they are asked for', async () => {
      const namespace = fresh()
      const other = fresh()
      await deploy({ ...oneOfEach(namespace), services: [] })
      await engine.createConfig({
        Name: `${namespace}_conf-0a1b2c3d`,
        Labels: { [NAMESPACE_LABEL]: namespace },
        Data: Buffer.from('older').toString('base64'),
      })
      const proper = `swarmcli.release.${namespace}.v1`
      await record(proper, { [RELEASE_LABEL]: namespace })
      // Mislabelled: as a part of the stack.
      await record(`${namespace}.v2`, { [RELEASE_LABEL]: namespace, [NAMESPACE_LABEL]: namespace })
      await record(`swarmcli.release.${other}.v1`, { [RELEASE_LABEL]: other })
      const { backend, journal } = run()
      const removal = await backend.planRemoval(namespace, false)
      assert.equal(removal.isAbsent, false)
      await backend.removeStack(namespace)
      assert.deepEqual(
        [...(await configNames())].sort(),
        [`${namespace}.v2`, proper, `swarmcli.release.${other}.v1`].sort(),
      )
      assert.deepEqual([...journal.report().notApplied].sort(), [`config ${namespace}.v2`, `config ${proper}`].sort())
      await backend.removeRecords(removal)
      assert.deepEqual(await configNames(), [`swarmcli.release.${other}.v1`])
      assert.deepEqual(journal.report().notApplied, [])
      assert.equal((await backend.planRemoval(namespace, false)).isAbsent, true)
    })

    test('a sweep tells what is left, asks again only for what was refused, and ends with nothing', async () => {
      const namespace = fresh()
      const foreign = fresh()
      const config = aFileObject(namespace, 'conf', 'hello')
      await deploy(
        aStackSpec(namespace, {
          networks: [aNetworkObject(namespace, 'front')],
          configs: [config],
          services: [aServiceObject(namespace, 'web', { template: { Networks: [{ Target: `${namespace}_front` }] } })],
        }),
      )
      const guest = aServiceObject(foreign, 'guest', {
        ...idle,
        container: { Configs: [configReference(namespace, 'conf')] },
      })
      await deploy(aStackSpec(foreign, { configs: [{ ...config, external: true }], services: [guest] }))
      await until('the service runs', async () =>
        (await run().backend.stackServices(namespace)).every(({ running }) => running === 1),
      )
      const asked: string[] = []
      const counting = new Proxy(engine, {
        get(target, property) {
          if (typeof property === 'string' && property.startsWith('remove')) asked.push(property)
          return Reflect.get(target, property)
        },
      })
      const { backend, log } = run(counting)
      const sweep = backend.sweepOf(namespace)
      let remains = await sweep()
      for (const { name, node, nodeState, graceMs } of remains.tasks) {
        assert.deepEqual([name, node !== '', nodeState, graceMs], [`${namespace}_web.1`, true, 'ready', 1000])
      }
      await until('only the config is left', async () => {
        remains = await sweep()
        return remains.tasks.length === 0 && remains.objects.length === 1
      })
      const [stuck] = remains.objects
      assert.equal(stuck?.name, `${namespace}_conf`)
      assert.match(stuck?.refusal?.message ?? '', new RegExp(`in use by the following service: ${foreign}_guest`))
      assert.equal(asked.filter((call) => call === 'removeNetwork').length, 1)
      assert.ok(asked.filter((call) => call === 'removeConfig').length > 1)
      assert.equal(log.filter((line) => line.startsWith('Removing config')).length, 1)
      await run().backend.removeStack(foreign)
      assert.deepEqual(await sweep(), { objects: [], tasks: [] })
    })

    test('a network that is listed until its last container is gone is removed already', async () => {
      const namespace = fresh()
      const web = aServiceObject(namespace, 'web', { template: { Networks: [{ Target: `${namespace}_front` }] } })
      await deploy(aStackSpec(namespace, { networks: [aNetworkObject(namespace, 'front')], services: [web] }))
      await until('the service runs', async () =>
        (await run().backend.stackServices(namespace)).every(({ running }) => running === 1),
      )
      await run().backend.removeStack(namespace)
      await run().backend.removeStack(namespace)
    })

    test("a stack that is somebody else's is refused before anything is removed, unless it is adopted", async () => {
      const namespace = fresh()
      const spec = aStackSpec(namespace, { services: [aServiceObject(namespace, 'web', idle)] })
      await run(engine, { owner: 'gha/acme/shop' }).backend.deployStack(spec, 'never')
      for (const owner of ['gha/other/shop', undefined]) {
        const error = await refusal(run(engine, { owner }).backend.planRemoval(namespace, true))
        assert.equal(error.code, 'conflict')
        assert.match(error.message, /gha\/acme\/shop/)
        assert.match(error.remedy ?? '', /adopt: true/)
      }
      await run(engine, { owner: 'gha/other/shop', adopt: true }).backend.planRemoval(namespace, true)
      await run(engine, { owner: 'gha/acme/shop' }).backend.planRemoval(namespace, true)
    })

    test("the stack's volumes are found by its label, kept while in use, and removed once they are not", async () => {
      const namespace = fresh()
      const labelled = { VolumeOptions: { Labels: { [NAMESPACE_LABEL]: namespace } } }
      const mount = (key: string, more: object = {}) =>
        ({ Type: 'volume', Source: `${namespace}_${key}`, Target: `/${key}`, ...more }) as const
      const Mounts = [mount('zeta', labelled), mount('data', labelled), mount('elsewhere')]
      await deploy(aStackSpec(namespace, { services: [aServiceObject(namespace, 'db', { container: { Mounts } })] }))
      const { backend, journal } = run()
      const wanted = [`${namespace}_data`, `${namespace}_zeta`]
      await until('the node has made the volumes', async () => (await backend.stackVolumes(namespace)).length === 2)
      assert.deepEqual(await backend.stackVolumes(namespace), wanted)
      await assert.rejects(backend.removeVolume(`${namespace}_data`), /in use/)
      const writing = { engine, settings: withDefaults({}) }
      const [kept, ...more] = await removeVolumes([`${namespace}_data`, `${namespace}_absent`], writing, {
        within: 250,
        every: 100,
      })
      assert.deepEqual([kept?.name, more], [`${namespace}_data`, []])
      assert.match(kept?.reason ?? '', /in use/)
      const removal = await backend.planRemoval(namespace, true)
      assert.deepEqual([removal.volumes, removal.otherNodes, removal.node !== ''], [wanted, [], true])
      await backend.removeStack(namespace)
      assert.deepEqual(
        journal.report().notApplied,
        wanted.map((name) => `volume ${name}`),
      )
      // The container is still there for a moment.
      assert.deepEqual(await backend.removeVolumes(removal), [])
      assert.deepEqual(journal.report().notApplied, [])
      assert.deepEqual(await backend.stackVolumes(namespace), [])
      await backend.removeVolume(`${namespace}_data`)
      await until('the other one is not in use any more', () =>
        backend.removeVolume(`${namespace}_elsewhere`).then(
          () => true,
          () => false,
        ),
      )
    })
  })
}
