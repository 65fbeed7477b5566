// What the Backend promises of what has left the manifest, of forced restarts and of the list of stacks; a part of backendContract.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptOf } from '../../src/backend/kept.ts'
import type { BackendOptions } from '../../src/backend/options.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { encodeRecord } from '../../src/history/encodeRecord.ts'
import { recordName } from '../../src/history/record.ts'
import { recordLabels } from '../../src/history/recordLabels.ts'
import { CREATED_LABEL, NAMESPACE_LABEL } from '../../src/swarm/names.ts'
import type { Service } from '../../src/swarm/service.ts'
import { heardBackend } from './heardBackend.ts'
import { racing, refusing } from './racing.ts'
import { recordOf } from './releaseRecords.ts'
import {
  aFileObject,
  aNetworkObject,
  aServiceObject,
  aStackSpec,
  base64,
  configReference,
  type ServiceParts,
  secretReference,
} from './stackSpecs.ts'

const owner = 'gha/acme/shop'

/** @param fresh a stack name that no other test uses; the stack is removed after the test */
export function pruneContract(engine: Engine, fresh: () => string): void {
  const run = (on: Engine = engine, options: BackendOptions = {}) => {
    const { backend, log, journal } = heardBackend(on, { rotate: true, owner, ...options })
    const deploy = async (spec: StackSpec) => {
      const deployment = await backend.deployStack(spec, 'never')
      return { ...deployment, kept: keptOf(spec, deployment.objects, Number.POSITIVE_INFINITY) }
    }
    return { backend, log, journal, deploy }
  }
  const deploy = (spec: StackSpec) => run().deploy(spec)
  const words = (changes: readonly { readonly action?: string; readonly kind: string; readonly name: string }[]) =>
    changes.map(({ action = 'keep', kind, name }) => `${action} ${kind} ${name}`)
  /** All that carries the stack's label. */
  const owned = async (namespace: string): Promise<readonly string[]> => {
    const label = { label: [`${NAMESPACE_LABEL}=${namespace}`] }
    const [services, configs, secrets, networks] = await Promise.all([
      engine.listServices(label),
      engine.listConfigs(label),
      engine.listSecrets(label),
      engine.listNetworks(label),
    ])
    return [
      ...services.map(({ Spec }) => `service ${Spec.Name}`),
      ...configs.map(({ Spec }) => `config ${Spec.Name}`),
      ...secrets.map(({ Spec }) => `secret ${Spec.Name}`),
      ...networks.map(({ Name }) => `network ${Name}`),
    ].sort()
  }
  const live = async (name: string): Promise<Service> =>
    (await engine.listServices({ name: [name] })).find(({ Spec }) => Spec.Name === name) ??
    assert.fail(`there is no service ${name}`)
  const service = (namespace: string, key: string, { template, ...parts }: ServiceParts = {}) =>
    aServiceObject(namespace, key, {
      spec: { Mode: { Replicated: { Replicas: 0 } } },
      ...parts,
      ...(template && { template }),
    })
  const onNetwork = (namespace: string, key: string): ServiceParts => ({
    template: { Networks: [{ Target: `${namespace}_${key}` }] },
  })
  /** One service "web" that uses what is given, and nothing else. */
  const withFiles = (namespace: string, secret: string, config: string): StackSpec =>
    aStackSpec(namespace, {
      secrets: [aFileObject(namespace, 'key', secret)],
      configs: [aFileObject(namespace, 'conf', config)],
      services: [
        service(namespace, 'web', {
          container: {
            Secrets: [secretReference(namespace, 'key')],
            Configs: [configReference(namespace, 'conf', '/etc/conf')],
          },
        }),
      ],
    })
  const bare = (namespace: string): StackSpec => aStackSpec(namespace, { services: [service(namespace, 'web')] })

  test('what has left the manifest goes, services first; what is still there stays; again there is nothing to do', async () => {
    const namespace = fresh()
    const whole = aStackSpec(namespace, {
      networks: [aNetworkObject(namespace, 'back'), aNetworkObject(namespace, 'front')],
      secrets: [aFileObject(namespace, 'key', 'one'), aFileObject(namespace, 'lone', 'alone')],
      configs: [aFileObject(namespace, 'conf', 'first')],
      services: [
        service(namespace, 'old', {
          ...onNetwork(namespace, 'back'),
          container: {
            Secrets: [secretReference(namespace, 'key')],
            Configs: [configReference(namespace, 'conf', '/etc/conf')],
          },
        }),
        service(namespace, 'web', onNetwork(namespace, 'front')),
      ],
    })
    await deploy(whole)
    const before = await owned(namespace)
    const { backend, deploy: redeploy, log, journal } = run()
    const { kept } = await redeploy({
      ...whole,
      networks: whole.networks.filter(({ key }) => key === 'front'),
      secrets: [],
      configs: [],
      services: whole.services.filter(({ key }) => key === 'web'),
    })
    const gone = ['service old', 'config conf', 'secret key', 'secret lone', 'network back'].map((one) =>
      one.replace(' ', ` ${namespace}_`),
    )
    const found = await backend.findOrphans(kept, { records: [] })
    assert.deepEqual(
      words(found.removable),
      gone.map((one) => `keep ${one}`),
    )
    assert.deepEqual(await owned(namespace), before)

    const done = await backend.prune(kept)
    assert.deepEqual(
      words(done.changes),
      gone.map((one) => `remove ${one}`),
    )
    assert.deepEqual([done.refused, done.spared], [[], []])
    assert.deepEqual(await owned(namespace), [`network ${namespace}_front`, `service ${namespace}_web`])
    assert.ok(log.includes(`Removing service ${namespace}_old, which has left the manifest`), log.join('\n'))
    // Those of a kind go at once: which is first gone is the engine's.
    const { applied, notApplied, unknown } = journal.report()
    assert.deepEqual([[...applied].sort(), notApplied, unknown], [[...gone].sort(), [], []])

    const again = await run().backend.prune(kept)
    assert.deepEqual([again.changes, again.refused, again.spared], [[], [], []])
  })

  test('what a service was before its last update stays, so that a rollback works; one update later it goes', async () => {
    const namespace = fresh()
    await deploy(withFiles(namespace, 'one', 'first'))
    const second = await deploy(withFiles(namespace, 'two', 'second'))
    const [key, conf] = [`${namespace}_key`, `${namespace}_conf`]
    const early = await run().backend.prune(second.kept)
    assert.deepEqual(early.changes, [])
    assert.deepEqual(
      early.spared.map(({ kind, name, why, reason }) => [kind, name, why, reason]),
      [
        ['config', conf, 'referenced', `a rollback of service ${namespace}_web needs it`],
        ['secret', key, 'referenced', `a rollback of service ${namespace}_web needs it`],
      ],
    )
    const third = await deploy(withFiles(namespace, 'three', 'third'))
    const { backend, log } = run()
    const late = await backend.prune(third.kept)
    assert.deepEqual(words(late.changes), [`remove config ${conf}`, `remove secret ${key}`])
    assert.ok(log.includes(`Removing secret ${key}, which is superseded`), log.join('\n'))
    const names = (await owned(namespace)).filter((one) => !one.startsWith('service '))
    assert.deepEqual(names, [...second.objects, ...third.objects].map(({ kind, name }) => `${kind} ${name}`).sort())
  })

  test('what a plan foresees of its prune is what that then removes, and what it spares', async () => {
    const namespace = fresh()
    await deploy(withFiles(namespace, 'one', 'first'))
    await deploy(withFiles(namespace, 'two', 'second'))
    const record = recordOf(1, {
      release: namespace,
      values: { ...recordOf(1).values, configs: new Map([['conf', `${namespace}_conf`]]) },
    })
    const [Name, Data] = [recordName(namespace, 1), Buffer.from(encodeRecord(record)).toString('base64')]
    const id = await engine.createConfig({ Name, Labels: recordLabels(record, 'deployed'), Data })
    try {
      const third = withFiles(namespace, 'three', 'third')
      const { backend } = run()
      const planned = await backend.planStack(third, 'never')
      const kept = keptOf(third, planned.plan.objects, Number.POSITIVE_INFINITY)
      const namesOf = (all: readonly { readonly kind: string; readonly name: string }[]) =>
        all.map(({ kind, name }) => `${kind} ${name}`).sort()
      const [key, conf] = [`secret ${namespace}_key`, `config ${namespace}_conf`]
      const pinned = await backend.foreseeOrphans(kept, planned, new Set())
      assert.deepEqual(namesOf(pinned.removable), [key])
      const { removable, spared } = await backend.foreseeOrphans(kept, planned, new Set([id]))
      assert.deepEqual(namesOf(removable), [conf, key])
      await deploy(third)
      await engine.removeConfig(id)
      const done = await backend.prune(kept)
      assert.deepEqual(namesOf(done.changes), [conf, key])
      assert.deepEqual(namesOf(done.spared), namesOf(spared))
    } finally {
      await engine.removeConfig(id).catch(() => {})
    }
  })

  test('what a release record of any stack names stays, and of one that cannot be read nobody knows', async () => {
    const [namespace, other] = [fresh(), fresh()]
    await deploy(withFiles(namespace, 'one', 'first'))
    const { kept } = await deploy(bare(namespace))
    // Another update, for nothing but the record to hold on to them.
    await deploy(aStackSpec(namespace, { services: [service(namespace, 'web', { container: { Hostname: 'other' } })] }))
    const record = recordOf(3, {
      release: other,
      values: { ...recordOf(3).values, secrets: new Map([['key', `${namespace}_key`]]) },
    })
    const store = (data: string) =>
      engine.createConfig({ Name: recordName(other, 3), Labels: recordLabels(record, 'failed'), Data: data })
    const broken = await store(base64('no record'))
    try {
      const { spared, changes } = await run().backend.prune(kept)
      assert.deepEqual(changes, [])
      assert.deepEqual(
        spared.map(({ name, reason }) => [name, reason.split(' and can not')[0]]),
        ['conf', 'key'].map((key) => [
          `${namespace}_${key}`,
          `the release record ${recordName(other, 3)} may name it,`,
        ]),
      )
    } finally {
      await engine.removeConfig(broken)
    }
    const stored = await store(Buffer.from(encodeRecord(record)).toString('base64'))
    try {
      const { spared, changes } = await run().backend.prune(kept)
      assert.deepEqual(words(changes), [`remove config ${namespace}_conf`])
      assert.deepEqual(
        spared.map(({ name, reason }) => [name, reason]),
        [[`${namespace}_key`, `revision 3 of ${other} needs it`]],
      )
    } finally {
      await engine.removeConfig(stored)
    }
  })

  test('what this action did not create, and what is somebody else’s, stays; so does what another stack has', async () => {
    const [namespace, other] = [fresh(), fresh()]
    const Labels = { [NAMESPACE_LABEL]: namespace }
    const theirs = { owner: 'gha/acme/other', adopt: true }
    await run(engine, theirs).deploy(aStackSpec(namespace, { services: [service(namespace, 'theirs')] }))
    await run(engine, { owner: undefined, adopt: true }).deploy(
      aStackSpec(namespace, { services: [service(namespace, 'plain')] }),
    )
    const adopted = service(namespace, 'adopted')
    await engine.createService(adopted.spec)
    await engine.createConfig({ Name: `${namespace}_made`, Labels, Data: base64('x') })
    await engine.createSecret({ Name: `${namespace}_made`, Labels, Data: base64('x') })
    await engine.createNetwork({ Name: `${namespace}_made`, Driver: 'overlay', Labels })
    // Its name begins like the stack's.
    await deploy(aStackSpec(other, { services: [service(other, 'web')] }))
    const { deploy: adopt, backend } = run(engine, { adopt: true })
    const { changes: taken } = await adopt(
      aStackSpec(namespace, { services: [adopted, service(namespace, 'own'), service(namespace, 'web')] }),
    )
    assert.deepEqual(
      taken.map(({ action, name, fields }) => [action, name, fields]),
      [
        ['update', `${namespace}_adopted`, ['labels[com.swarmcli.owner]']],
        ['create', `${namespace}_own`, []],
        ['create', `${namespace}_web`, []],
      ],
    )
    const { kept } = await adopt(bare(namespace))
    const before = await owned(namespace)
    const { changes, spared } = await backend.prune(kept)
    assert.deepEqual(words(changes), [`remove service ${namespace}_own`])
    assert.deepEqual(
      spared.map(({ kind, name, why, reason }) => [`${kind} ${name}`, why, reason]),
      [
        [`service ${namespace}_adopted`, 'foreign', 'this action did not create it'],
        [`service ${namespace}_plain`, 'foreign', 'it bears no stamp of this repository'],
        [`service ${namespace}_theirs`, 'foreign', 'it belongs to gha/acme/other'],
        ...['config', 'secret', 'network'].map((kind) => [
          `${kind} ${namespace}_made`,
          'foreign',
          'this action did not create it',
        ]),
      ],
    )
    const rest = before.filter((one) => one !== `service ${namespace}_own`)
    assert.deepEqual(await owned(namespace), rest)
  })

  test('a service that this action creates bears the mark of it for good; one that it adopts never does', async () => {
    const namespace = fresh()
    const spec = (hostname: string): StackSpec => {
      const services = ['made', 'own'].map((key) => service(namespace, key, { container: { Hostname: hostname } }))
      return aStackSpec(namespace, { services })
    }
    const marks = () =>
      Promise.all(['made', 'own'].map(async (key) => (await live(`${namespace}_${key}`)).Spec.Labels?.[CREATED_LABEL]))
    for (const { key, spec: theirs } of spec('a').services) if (key === 'made') await engine.createService(theirs)
    await deploy(spec('a'))
    const [made, own] = await marks()
    assert.equal(made, undefined)
    assert.match(own ?? '', /^\d{4}-\d\d-\d\dT.*Z$/)
    assert.deepEqual((await deploy(spec('a'))).changes, [])
    const { changes } = await deploy(spec('b'))
    assert.deepEqual(
      changes.map(({ fields }) => fields),
      [['hostname'], ['hostname']],
    )
    assert.deepEqual(await marks(), [undefined, own])
    assert.deepEqual((await deploy(spec('b'))).changes, [])
  })

  test('what came about while the run was at it is the work of another', async () => {
    const namespace = fresh()
    await deploy(aStackSpec(namespace, { services: [service(namespace, 'old'), service(namespace, 'web')] }))
    const { kept } = await deploy(bare(namespace))
    const since = Date.parse((await live(`${namespace}_old`)).CreatedAt)
    const { changes, spared } = await run().backend.prune({ ...kept, before: since })
    assert.deepEqual([changes, spared], [[], []])
    assert.deepEqual(words((await run().backend.prune({ ...kept, before: since + 1 })).changes), [
      `remove service ${namespace}_old`,
    ])
  })

  test('what the engine refuses is told and ends nothing; what it needs stays with it', async () => {
    const namespace = fresh()
    const old = (key: string) =>
      service(namespace, key, {
        ...onNetwork(namespace, 'back'),
        container: { Secrets: [secretReference(namespace, 'key')] },
      })
    await deploy(
      aStackSpec(namespace, {
        networks: [aNetworkObject(namespace, 'back')],
        secrets: [aFileObject(namespace, 'key', 'one')],
        services: [old('old'), service(namespace, 'web')],
      }),
    )
    const { kept } = await deploy(bare(namespace))
    const { backend, journal } = run(refusing(engine, 'removeService', 'not today'))
    const { changes, refused, spared } = await backend.prune(kept)
    assert.deepEqual(changes, [])
    assert.deepEqual(
      refused.map(({ kind, name }) => `${kind} ${name}`),
      [`service ${namespace}_old`],
    )
    assert.match(refused[0]?.reason ?? '', /not today/)
    assert.deepEqual(
      spared.map(({ kind, reason }) => [kind, reason]),
      ['secret', 'network'].map((kind) => [kind, `service ${namespace}_old uses it`]),
    )
    assert.deepEqual(journal.report(), { applied: [], notApplied: [], unknown: [] })
    assert.equal((await run().backend.prune(kept)).changes.length, 3)
  })

  test('a cancelled prune removes no more, and says what it has removed', async () => {
    const namespace = fresh()
    await deploy({ ...withFiles(namespace, 'one', 'first'), services: [service(namespace, 'old')] })
    const { kept } = await deploy(bare(namespace))
    const cancelled = new AbortController()
    const during = racing(engine, 'removeService', async () => cancelled.abort(new Error('enough')))
    const { backend, journal } = run(during, { signal: cancelled.signal })
    await assert.rejects(backend.prune(kept))
    assert.deepEqual(journal.report(), {
      applied: [`service ${namespace}_old`],
      notApplied: [`config ${namespace}_conf`, `secret ${namespace}_key`],
      unknown: [],
    })
    assert.equal((await run().backend.prune(kept)).changes.length, 2)
  })

  test('a forced service gets another counter and nothing else, together with what changed', async () => {
    const namespace = fresh()
    const spec = (hostname: string): StackSpec =>
      aStackSpec(namespace, {
        services: [service(namespace, 'aside'), service(namespace, 'web', { container: { Hostname: hostname } })],
      })
    await deploy(spec('a'))
    const counts = async () =>
      Promise.all(
        ['aside', 'web'].map(async (key) => (await live(`${namespace}_${key}`)).Spec.TaskTemplate.ForceUpdate ?? 0),
      )
    const forced = await run(engine, { force: ['web'] }).deploy(spec('a'))
    assert.deepEqual(forced.changes, [
      { kind: 'service', name: `${namespace}_web`, action: 'update', fields: ['forceUpdate'] },
    ])
    assert.deepEqual(await counts(), [0, 1])
    const changed = await run(engine, { force: true }).deploy(spec('b'))
    assert.deepEqual(
      changed.changes.map(({ name, fields }) => [name, fields]),
      [
        [`${namespace}_aside`, ['forceUpdate']],
        [`${namespace}_web`, ['hostname', 'forceUpdate']],
      ],
    )
    assert.deepEqual(await counts(), [1, 2])
    assert.deepEqual((await deploy(spec('b'))).changes, [])
    assert.deepEqual(await counts(), [1, 2])
    const made = fresh()
    const first = await run(engine, { force: true }).deploy(bare(made))
    assert.deepEqual(
      first.changes.map(({ action, fields }) => [action, fields]),
      [['create', []]],
    )
  })

  test('the list has every stack, were it a secret or a record alone, with whose it is', async () => {
    const [mine, plain, secretOnly, recordOnly] = [fresh(), fresh(), fresh(), fresh()]
    await deploy(bare(mine))
    await run(engine, { owner: undefined }).deploy(
      aStackSpec(plain, { services: [service(plain, 'a'), service(plain, 'b')] }),
    )
    await engine.createSecret({
      Name: `${secretOnly}_key`,
      Labels: { [NAMESPACE_LABEL]: secretOnly },
      Data: base64('x'),
    })
    const ids: string[] = []
    for (const [release, revision, status] of [
      [mine, 9, 'deployed'],
      [mine, 10, 'failed'],
      [recordOnly, 2, 'deployed'],
    ] as const) {
      const record = recordOf(revision, { release })
      ids.push(
        await engine.createConfig({
          Name: recordName(release, revision),
          Labels: recordLabels(record, status),
          Data: Buffer.from(encodeRecord(record)).toString('base64'),
        }),
      )
    }
    try {
      const { stacks, snapshot } = await run().backend.listStacks()
      const of = (name: string) => stacks.find((stack) => stack.name === name)
      assert.deepEqual(of(mine), {
        name: mine,
        services: [`${mine}_web`],
        owners: [owner],
        revision: 10,
        release: 'failed',
      })
      assert.deepEqual(of(plain), { name: plain, services: [`${plain}_a`, `${plain}_b`], owners: [] })
      assert.deepEqual(of(secretOnly), { name: secretOnly, services: [], owners: [] })
      assert.deepEqual(of(recordOnly), { name: recordOnly, services: [], owners: [], revision: 2, release: 'deployed' })
      const names = stacks.map(({ name }) => name)
      assert.deepEqual(names, [...names].sort())
      assert.ok(snapshot.services.some(({ Spec }) => Spec.Name === `${plain}_b`))
    } finally {
      for (const id of ids) await engine.removeConfig(id)
    }
  })
}
