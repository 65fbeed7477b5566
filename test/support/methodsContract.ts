// What the Backend promises of its smaller methods, and of engines that say no; a part of backendContract.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Backend } from '../../src/backend/backend.ts'
import { markRecord } from '../../src/backend/markRecord.ts'
import type { BackendOptions } from '../../src/backend/options.ts'
import { storeRecord } from '../../src/backend/storeRecord.ts'
import { superfluous, trimRecords } from '../../src/backend/trimRecords.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { type Engine, EngineError } from '../../src/engine/engine.ts'
import { DeployError } from '../../src/errors.ts'
import { releasesOf } from '../../src/history/releases.ts'
import { registryAuth } from '../../src/registry/registryAuth.ts'
import { CREDENTIALS_LABEL, RELEASE_LABEL, TYPE_LABEL } from '../../src/swarm/names.ts'
import type { Service } from '../../src/swarm/service.ts'
import { heardBackend } from './heardBackend.ts'
import { racing, refusing } from './racing.ts'
import { refusal } from './refusal.ts'
import { recordOf } from './releaseRecords.ts'
import {
  aFileObject,
  aNetworkObject,
  aServiceObject,
  aStackSpec,
  configReference,
  secretReference,
} from './stackSpecs.ts'

type Call = Exclude<keyof Engine, 'apiVersion'>

/** @param fresh a stack name that no other test uses; the stack is removed after the test */
export function methodsContract(engine: Engine, fresh: () => string): void {
  const run = (on: Engine = engine, options: BackendOptions = {}) => heardBackend(on, options)
  const idle = { Mode: { Replicated: { Replicas: 0 } } }
  const whole = (namespace: string): StackSpec => {
    const container = {
      Secrets: [secretReference(namespace, 'key')],
      Configs: [configReference(namespace, 'conf', '/conf')],
    }
    const template = { Networks: [{ Target: `${namespace}_front` }] }
    return aStackSpec(namespace, {
      networks: [aNetworkObject(namespace, 'front')],
      secrets: [aFileObject(namespace, 'key', 's3cret')],
      configs: [aFileObject(namespace, 'conf', 'hello')],
      services: ['a', 'b', 'c'].map((key) => aServiceObject(namespace, key, { container, template, spec: idle })),
    })
  }
  const live = async (name: string): Promise<Service> => {
    const found = (await engine.listServices({ name: [name] })).find(({ Spec }) => Spec.Name === name)
    return found ?? assert.fail(`there is no service ${name}`)
  }
  const named = async (namespace: string): Promise<readonly string[]> =>
    (await engine.listServices({ name: [`${namespace}_`] })).map(({ Spec }) => Spec.Name ?? '').sort()

  /** Notes the calls of a kind, and answers them as the engine does. */
  const counting = (call: Call) => {
    const counted = { calls: 0 }
    const watched = new Proxy(engine, {
      get(target, property) {
        if (property === call) counted.calls++
        return Reflect.get(target, property)
      },
    })
    return { watched, counted }
  }

  test('a plan writes nothing; begun, it writes all but the services, and those in the order that is asked for', async () => {
    const namespace = fresh()
    const { backend, journal } = run()
    const planned = await backend.planStack(whole(namespace), 'never')
    assert.equal(journal.wroteAnything, false)
    assert.deepEqual(await named(namespace), [])
    assert.deepEqual(
      planned.plan.changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`),
      [
        `create network ${namespace}_front`,
        `create secret ${namespace}_key`,
        `create config ${namespace}_conf`,
        ...['a', 'b', 'c'].map((key) => `create service ${namespace}_${key}`),
      ],
    )
    const application = await backend.beginStack(planned)
    assert.deepEqual(await named(namespace), [])
    assert.equal(journal.report().applied.length, 3)
    const [a, b, c] = planned.plan.services
    assert.ok(a && b && c)
    const first = await application.services([c])
    assert.deepEqual(await named(namespace), [`${namespace}_c`])
    const rest = await application.services([b, a])
    assert.deepEqual(
      [...first, ...rest].map(({ key, written }) => [key, written]),
      [
        ['c', true],
        ['b', true],
        ['a', true],
      ],
    )
    assert.deepEqual(application.changes(), planned.plan.changes)
    assert.deepEqual((await backend.planStack(whole(namespace), 'never')).plan.changes, [])
  })

  test('every read asks the swarm: there is nothing to refresh', async () => {
    const namespace = fresh()
    const { backend } = run()
    assert.deepEqual(await backend.stackServices(namespace), [])
    await run().backend.deployStack(whole(namespace), 'never')
    await backend.refreshSnapshot()
    const states = await backend.stackServices(namespace)
    assert.deepEqual(
      states.map(({ name, running, desired }) => [name, running, desired]),
      ['a', 'b', 'c'].map((key) => [`${namespace}_${key}`, 0, 0]),
    )
  })

  test('credentials are of the copy alone, are told by the salted label, and a new one is sent once', async () => {
    const namespace = fresh()
    const spec = aStackSpec(namespace, {
      services: ['a', 'b'].map((key) =>
        aServiceObject(namespace, key, { image: `registry.test/${key}:1`, spec: idle }),
      ),
    })
    const login = (password: string) => registryAuth(new Map([['registry.test', { username: 'me', password }]]))
    const words = ({ changes }: Awaited<ReturnType<Backend['deployStack']>>): readonly string[] =>
      changes.map(({ action, name, fields }) => `${action} ${name}: ${fields.join()}`)
    const { backend } = run()
    const copy = backend.withRegistryAuth(login('one'))
    await backend.deployStack(spec, 'never')
    assert.equal((await live(`${namespace}_a`)).Spec.Labels?.[CREDENTIALS_LABEL], undefined)
    const sent = ['a', 'b'].map((key) => `credentials ${namespace}_${key}: credentials`)
    assert.deepEqual(words(await copy.deployStack(spec, 'never')), sent)
    const labels = await Promise.all(
      ['a', 'b'].map(async (key) => (await live(`${namespace}_${key}`)).Spec.Labels?.[CREDENTIALS_LABEL] ?? ''),
    )
    for (const label of labels) assert.match(label, /^[0-9a-f]{32}:[0-9a-f]{64}$/)
    assert.notEqual(labels[0], labels[1])
    assert.deepEqual(words(await copy.deployStack(spec, 'never')), [])
    assert.deepEqual(words(await backend.withRegistryAuth(login('two')).deployStack(spec, 'never')), sent)
    // Without a login the one that the swarm has stays.
    assert.deepEqual(words(await backend.deployStack(spec, 'never')), [])
  })

  test('a list that can not be read ends the run before any write', async () => {
    const namespace = fresh()
    const reads = ['listNetworks', 'listSecrets', 'listConfigs', 'listServices', 'listTasks', 'listNodes'] as const
    for (const call of reads) {
      const { backend, journal } = run(refusing(engine, call, 'no list today'))
      await assert.rejects(backend.deployStack(whole(namespace), 'never'), /no list today/, call)
      assert.equal(journal.wroteAnything, false, call)
    }
    assert.deepEqual(await named(namespace), [])
  })

  test('a service that is refused ends the run, is named, and is asked for once', async () => {
    const namespace = fresh()
    await run().backend.deployStack({ ...whole(namespace), services: whole(namespace).services.slice(0, 1) }, 'never')
    const changed: StackSpec = {
      ...whole(namespace),
      services: whole(namespace).services.map((service) => ({
        ...service,
        spec: { ...service.spec, Labels: { ...service.spec.Labels, team: 'shop' } },
      })),
    }
    for (const [call, key] of [
      ['updateService', 'a'],
      ['createService', 'b'],
    ] as const) {
      const { watched, counted } = counting(call)
      const { backend, journal } = run(refusing(watched, call, 'not this one'), { concurrency: 1 })
      const error = await refusal(backend.deployStack(changed, 'never'))
      assert.deepEqual([error.code, error.service, error.message], ['engine', key, 'not this one'])
      assert.equal(counted.calls, 1)
      const { notApplied, unknown } = journal.report()
      assert.equal(notApplied[0], `service ${namespace}_${key}`)
      assert.ok(notApplied.includes(`service ${namespace}_c`))
      assert.deepEqual(unknown, [])
    }
  })

  test('a version that is lost again and again is given up after three tries; who wrote the same spec is no race', async () => {
    const namespace = fresh()
    const web = (image: string): StackSpec =>
      aStackSpec(namespace, { services: [aServiceObject(namespace, 'web', { image, spec: idle })] })
    await run().backend.deployStack(web('tb/ok:1'), 'never')
    const touch = async (): Promise<void> => {
      const { ID, Version, Spec } = await live(`${namespace}_web`)
      await engine.updateService(ID, Version.Index, Spec)
    }
    const { backend, races, journal } = run(racing(engine, 'updateService', touch, 3))
    await assert.rejects(backend.deployStack(web('tb/ok:2'), 'never'), (error) => {
      assert.ok(error instanceof DeployError)
      assert.deepEqual([error.code, error.service], ['conflict', 'web'])
      assert.match(error.message, new RegExp(`service ${namespace}_web .*another version at each of 3 tries`))
      return true
    })
    assert.deepEqual(races, [])
    assert.deepEqual(journal.report().applied, [])
    assert.equal((await live(`${namespace}_web`)).Spec.TaskTemplate.ContainerSpec?.Image, 'tb/ok:1')
  })

  test('what others made is never changed by the copies that a caller hands in', async () => {
    const namespace = fresh()
    const labels = Object.freeze({ [TYPE_LABEL]: 'release', [RELEASE_LABEL]: namespace })
    const spec = deeplyFrozen(whole(namespace))
    const { backend } = run(engine, { owner: 'gha/acme/shop', rotate: true })
    await backend.deployStack(spec, 'never')
    const name = `swarmcli.release.${namespace}.v1`
    const id = await backend.createConfig(name, Buffer.from('data'), labels)
    await assert.rejects(backend.createConfig(name, Buffer.from('other'), labels), { kind: 'already-exists' })
    assert.equal(Buffer.from(await backend.inspectConfig(id)).toString(), 'data')
    const listed = await backend.listConfigs()
    const dataOf = (wanted: string): string | undefined => {
      const data = listed.find((config) => config.name === wanted)?.data
      return data && Buffer.from(data).toString()
    }
    assert.deepEqual([dataOf(name), dataOf(`${namespace}_conf`)], ['data', undefined])
    await assert.rejects(backend.deleteConfig(`${namespace}_conf`), { kind: 'refused' })
    await backend.deleteConfig(id)
    await assert.rejects(backend.inspectConfig(name), { kind: 'not-found' })
  })

  test('records that several runs store at once have a number each, keep their verdicts, and are trimmed by age', async () => {
    const namespace = fresh()
    const label = { label: [`${RELEASE_LABEL}=${namespace}`] }
    const signal = AbortSignal.timeout(30_000)
    const stored = await Promise.all(
      ['one', 'two', 'three', 'four'].map((manifest) => {
        const record = recordOf(1, { release: namespace, manifest: `# ${manifest}\n` })
        return storeRecord(engine, record, [], 'pending-install', Date.now(), signal)
      }),
    )
    assert.deepEqual(stored.map(({ revision }) => revision).sort(), [1, 2, 3, 4])
    for (const { id, revision } of stored) {
      await markRecord(engine, id, revision % 2 === 0 ? 'deployed' : 'failed', signal)
    }
    const read = async () => releasesOf(namespace, await engine.listConfigs(label), (_name, why) => assert.fail(why))
    const releases = await read()
    assert.deepEqual(
      releases.map(({ record, status }) => [record.revision, status]),
      [
        [1, 'failed'],
        [2, 'superseded'],
        [3, 'failed'],
        [4, 'deployed'],
      ],
    )
    assert.deepEqual(new Set(releases.map(({ record }) => record.manifest)).size, 4)
    assert.deepEqual(await trimRecords(engine, superfluous(releases.slice(0, -1), 2), signal), [])
    assert.deepEqual(
      (await read()).map(({ record }) => record.revision),
      [2, 4],
    )
    const { backend } = run()
    await backend.removeRecords({ records: (await read()).map(({ id, name }) => ({ id, name })) })
    assert.deepEqual(await read(), [])
  })

  test('an engine that will not remove says so, and what is not there needs no removal', async () => {
    const namespace = fresh()
    const { backend } = run()
    await backend.removeVolume(`${namespace}_none`)
    await backend.removeOverlayNetwork(`${namespace}_none`)
    await backend.createOverlayNetwork(namespace)
    const faulty = run(refusing(engine, 'removeNetwork', 'it stays')).backend
    await assert.rejects(
      faulty.removeOverlayNetwork(namespace),
      (error) => error instanceof EngineError && /it stays/.test(error.message),
    )
    await backend.removeOverlayNetwork(namespace)
    assert.equal((await backend.networkScopes()).has(namespace), false)
  })
}

// --- Internal helpers ---

function deeplyFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) deeplyFrozen(member)
  }
  return value
}
