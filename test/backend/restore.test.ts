// Undoing a deployment, in races with others and with Swarm itself: never over somebody else's work, and whatever can be is put back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import type { BackendOptions } from '../../src/backend/options.ts'
import type { Restoration } from '../../src/backend/restoreServices.ts'
import type { ServiceObject } from '../../src/convert/stackSpec.ts'
import type { Engine, UpdateOptions } from '../../src/engine/engine.ts'
import { registryAuth } from '../../src/registry/registryAuth.ts'
import { RETRY_LABEL } from '../../src/swarm/names.ts'
import type { ServiceSpec } from '../../src/swarm/service.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import { aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const one = (key: string, image: string, spec: Partial<ServiceSpec> = {}): ServiceObject =>
  aServiceObject('shop', key, { image, spec })

const port = (published: number): Partial<ServiceSpec> => ({
  EndpointSpec: { Ports: [{ Protocol: 'tcp', TargetPort: 80, PublishedPort: published, PublishMode: 'ingress' }] },
})

interface Course {
  readonly before: readonly ServiceObject[]
  readonly after: readonly ServiceObject[]
  /** What happens once the deployment is over, or has failed. */
  readonly meanwhile?: (swarm: MemorySwarm) => unknown
  readonly options?: BackendOptions
  readonly engine?: (engine: Engine) => Engine
}

/** Deploys twice, and undoes the second. */
async function undone({ before, after, meanwhile, options, engine = (same) => same }: Course) {
  const swarm = createMemorySwarm()
  const backend = new Backend(swarm.engine)
  await backend.deployStack(aStackSpec('shop', { services: before }), 'never')
  const old = new Map(before.map(({ name }) => [name, swarm.service(name).Spec]))
  const planned = await backend.planStack(aStackSpec('shop', { services: after }), 'never')
  const application = await backend.beginStack(planned)
  const failure = await application.services(planned.plan.services).then(
    () => undefined,
    (error: unknown) => error,
  )
  await meanwhile?.(swarm)
  const written = swarm.writes.length
  const told: Restoration[] = []
  const restoring = new Backend(engine(swarm.engine), options)
  const error = await restoring
    .restoreServices(application.touched(), planned.observation, (restoration) => told.push(restoration))
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
  const fates = Object.fromEntries(
    told.map(({ service, restored }) => [
      service.key,
      'why' in restored ? `${restored.kind}: ${restored.why}` : restored.kind,
    ]),
  )
  return { swarm, old, failure, error, fates, told, writes: swarm.writes.slice(written) }
}

const web = [one('web', 'tb/ok:1')]
const newer = [one('web', 'tb/ok:2')]

test('each has its spec from before, and what is new is gone', async () => {
  const { swarm, old, fates, writes } = await undone({
    before: [one('api', 'tb/ok:1'), ...web],
    after: [one('api', 'tb/ok:1'), one('new', 'tb/ok:1'), ...newer],
  })
  assert.deepEqual(fates, { new: 'removed', web: 'put-back' })
  assert.deepEqual(writes, ['remove service shop_new', 'update service shop_web'])
  assert.deepEqual(swarm.service('shop_web').Spec, old.get('shop_web'))
})

test("somebody else's work stays", async () => {
  const changed = (name: string) => (swarm: MemorySwarm) =>
    swarm.tamper(name, (spec) => ({ ...spec, Labels: { ...spec.Labels, theirs: '1' } }))
  for (const [meanwhile, after, expected] of [
    [changed('shop_web'), newer, { web: 'lost: someone else changed it meanwhile' }],
    [changed('shop_new'), [...web, one('new', 'tb/ok:1')], { new: 'lost: someone else changed it meanwhile' }],
    [
      ({ engine, service }: MemorySwarm) => engine.removeService(service('shop_web').ID),
      newer,
      { web: 'lost: someone else removed it meanwhile' },
    ],
    [
      ({ engine, service }: MemorySwarm) => engine.removeService(service('shop_new').ID),
      [...web, one('new', 'tb/ok:1')],
      { new: 'as-before' },
    ],
  ] as const) {
    const { fates, writes } = await undone({ before: web, after, meanwhile })
    assert.deepEqual(fates, expected)
    assert.deepEqual(writes, [])
  }
  // Also where it comes between our look and our write.
  const late = await undone({
    before: web,
    after: newer,
    meanwhile: (swarm) => swarm.before('updateService', () => changed('shop_web')(swarm)),
  })
  assert.deepEqual(late.fates, { web: 'lost: someone else changed it meanwhile' })
  assert.deepEqual(late.writes, [])
})

test('a version that moved, and a call whose answer is lost, are no reason to give up', async () => {
  for (const [kind, afterwards] of [
    ['version-conflict', false],
    ['passing', false],
    ['connection', true],
  ] as const) {
    const { swarm, old, fates, writes } = await undone({
      before: web,
      after: newer,
      meanwhile: (swarm) => swarm.failNext('updateService', kind, { afterwards }),
    })
    assert.deepEqual(fates, { web: 'put-back' }, kind)
    assert.deepEqual(writes, ['update service shop_web'], kind)
    assert.deepEqual(swarm.service('shop_web').Spec, old.get('shop_web'))
  }
})

test('what Swarm has rolled back itself is back, and a write that was refused has changed nothing', async () => {
  const swarms = { UpdateConfig: { Parallelism: 1, FailureAction: 'rollback' as const, Order: 'stop-first' as const } }
  const rolledBack = await undone({
    before: [one('web', 'tb/ok:1', swarms)],
    after: [one('web', 'tb/crash:1', swarms)],
  })
  assert.deepEqual(rolledBack.fates, { web: 'put-back' })
  assert.deepEqual(rolledBack.writes, [])
  const [{ restored } = assert.fail('nothing was told')] = rolledBack.told
  assert.equal(restored.kind === 'put-back' && restored.previousUpdatedAt, undefined)

  const refused = await undone({
    before: [one('a', 'tb/ok:1', port(80)), one('b', 'tb/ok:1')],
    after: [one('a', 'tb/ok:1', port(80)), one('b', 'tb/ok:2', port(80))],
  })
  assert.match(String(refused.failure), /already in use/)
  assert.deepEqual(refused.fates, { b: 'as-before' })
  assert.deepEqual(refused.writes, [])
})

test('a rollback that Swarm has paused goes on: by a label, since it would forget the very same spec', async () => {
  const { swarm, old, fates, told, writes } = await undone({
    before: web,
    after: newer,
    engine: (engine) => ({
      ...engine,
      async listServices(filters, options) {
        const found = await engine.listServices(filters, options)
        return found.map(({ PreviousSpec: before, ...service }) => ({
          ...service,
          Spec: before ?? service.Spec,
          UpdateStatus: { State: 'rollback_paused' },
        }))
      },
    }),
  })
  assert.deepEqual(fates, { web: 'put-back' })
  assert.deepEqual(writes, ['update service shop_web'])
  const { Labels, ...spec } = swarm.service('shop_web').Spec
  const { Labels: labels, ...before } = old.get('shop_web') ?? assert.fail('it was not there')
  assert.deepEqual(spec, before)
  assert.deepEqual(Labels, { ...labels, [RETRY_LABEL]: '1' })
  const [{ restored } = assert.fail('nothing was told')] = told
  assert.ok(restored.kind === 'put-back' && restored.isWanted(swarm.service('shop_web').Spec))
})

test('a port goes back to whose it was, whoever comes first', async () => {
  const { swarm, fates } = await undone({
    before: [one('a', 'tb/ok:1', port(80)), one('b', 'tb/ok:1')],
    after: [one('a', 'tb/ok:1'), one('b', 'tb/ok:1', port(80))],
    options: { concurrency: 1 },
  })
  assert.deepEqual(fates, { a: 'put-back', b: 'put-back' })
  assert.equal(swarm.service('shop_a').Spec.EndpointSpec?.Ports?.[0]?.PublishedPort, 80)
})

test('a refusal is told in the words of the engine, and keeps no other from being put back', async () => {
  const { fates } = await undone({
    before: [one('api', 'tb/ok:1'), ...web],
    after: [one('api', 'tb/ok:2'), ...newer],
    options: { concurrency: 1 },
    engine: (engine) => ({
      ...engine,
      updateService: (id, version, spec, options) =>
        spec.Name === 'shop_api'
          ? engine.updateService(id, version, { ...spec, Name: 'no name' }, options)
          : engine.updateService(id, version, spec, options),
    }),
  })
  assert.deepEqual(fates.web, 'put-back')
  assert.match(fates.api ?? '', /^refused: .*name must be valid/)
})

test('jobs, one-shots that have done their work and services that were only started again keep their spec', async () => {
  const job: Partial<ServiceSpec> = { Mode: { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } } }
  const { fates, writes } = await undone({
    before: [one('job', 'tb/job:1', job)],
    after: [one('job', 'tb/job:1', { ...job, Labels: { run: '2' } }), one('once', 'tb/job:1', job)],
  })
  assert.match(fates.job ?? '', /^kept: it runs to completion/)
  assert.equal(fates.once, 'removed')
  assert.deepEqual(writes, ['remove service shop_once'])
  const dead = [
    aServiceObject('shop', 'web', { image: 'tb/crash:1', template: { RestartPolicy: { Condition: 'none' } } }),
  ]
  const again = await undone({ before: dead, after: dead })
  assert.match(again.fates.web ?? '', /^kept: it was only started again/)
  assert.deepEqual(again.writes, [])
})

test('the credential of the spec before is asked for, and no other is sent', async () => {
  const options: (UpdateOptions | undefined)[] = []
  await undone({
    before: web,
    after: newer,
    options: {},
    engine: (engine) => {
      const backend: Engine = {
        ...engine,
        updateService(id, version, spec, given) {
          options.push(given)
          return engine.updateService(id, version, spec, given)
        },
      }
      return backend
    },
  })
  assert.deepEqual(options, [{ registryAuthFrom: 'previous-spec' }])
})

test('only the credential of a service was new', async () => {
  const login = (password: string) => registryAuth(new Map([['registry.test', { username: 'me', password }]]))
  const swarm = createMemorySwarm()
  const spec = aStackSpec('shop', { services: [one('web', 'registry.test/web:1')] })
  const before = new Backend(swarm.engine).withRegistryAuth(login('old'))
  await before.deployStack(spec, 'never')
  const old = swarm.service('shop_web').Spec
  const backend = new Backend(swarm.engine).withRegistryAuth(login('new'))
  const planned = await backend.planStack(spec, 'never')
  const application = await backend.beginStack(planned)
  await application.services(planned.plan.services)
  assert.notDeepEqual(swarm.service('shop_web').Spec, old)
  const [{ restored } = assert.fail('nothing was told')] = await backend.restoreServices(
    application.touched(),
    planned.observation,
  )
  assert.equal(restored.kind, 'put-back')
  assert.deepEqual(swarm.service('shop_web').Spec, old)
  assert.equal(swarm.auths.at(-1), '')
})

test('a cancelled one stops before its next write, having told what is back', async () => {
  const stop = new AbortController()
  const { error, fates, writes } = await undone({
    before: [one('api', 'tb/ok:1'), ...web],
    after: [one('api', 'tb/ok:2'), ...newer],
    options: { concurrency: 1, signal: stop.signal },
    meanwhile: (swarm) => swarm.before('updateService', () => stop.abort()),
  })
  assert.match(String(error), /stopped before it wrote service shop_web/)
  assert.deepEqual(fates, { api: 'put-back' })
  assert.deepEqual(writes, ['update service shop_api'])
})
