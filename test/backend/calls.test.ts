// docs/backend.md lists the calls that each method makes, in order: here every method makes them, all of them, and no others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backendMethods, type DocumentedCall } from '../../scripts/backendDocs.mjs'
import { Backend } from '../../src/backend/backend.ts'
import { keptOf } from '../../src/backend/kept.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import { aFileObject, aNetworkObject, aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

/** A swarm, a backend on it whose calls are noted, and the engine for what others do to the swarm. */
interface Situation {
  readonly swarm: MemorySwarm
  readonly backend: Backend
  /** Its calls are nobody's. */
  readonly engine: Engine
  /** Deploys without a note of the calls. */
  readonly deployed: (spec: StackSpec) => Promise<unknown>
}

/** What is done to the swarm before, and then the method's call. */
type Scenario = (situation: Situation) => Promise<unknown>

function stack(image = 'tb/ok:1', label = '1'): StackSpec {
  return aStackSpec('shop', {
    networks: [aNetworkObject('shop', 'front')],
    secrets: [aFileObject('shop', 'key', 's3cret', { label })],
    configs: [aFileObject('shop', 'conf', 'hello', { label })],
    services: [aServiceObject('shop', 'web', { image, template: { Networks: [{ Target: 'shop_front' }] } })],
  })
}

/** What is stamped is known to be ours. */
const owner = 'gha/acme/shop'

const lost = { afterwards: true }
const hosted = aStackSpec('shop', {
  services: [aServiceObject('shop', 'web', { template: { Networks: [{ Target: 'host' }] } })],
})

function serviceOnly(image: string): StackSpec {
  return aStackSpec('shop', { services: [aServiceObject('shop', 'web', { image })] })
}

const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  deployStack: [
    ({ backend }) => backend.deployStack(stack(), 'always'),
    async ({ backend, deployed }) => {
      await deployed(stack())
      return backend.deployStack(stack('tb/ok:2', '2'), 'changed')
    },
    async ({ backend, deployed }) => {
      await deployed(hosted)
      return backend.deployStack(hosted, 'never')
    },
    async ({ backend, engine }) => {
      const [secret] = stack().secrets
      assert.ok(secret && !secret.external)
      await engine.createSecret(secret.spec)
      return backend.deployStack(stack(), 'never')
    },
    ({ backend, swarm }) => {
      for (const kind of ['createNetwork', 'createSecret', 'createConfig', 'createService'] as const) {
        swarm.failNext(kind, 'connection', lost)
      }
      return backend.deployStack(stack(), 'never')
    },
    async ({ backend, deployed, swarm }) => {
      await deployed(stack())
      swarm.failNext('updateService', 'version-conflict')
      return backend.deployStack(stack('tb/ok:2'), 'never')
    },
    ...comebacks((backend) => backend.deployStack(stack(), 'never')),
  ],
  planStack: [
    ({ backend }) => backend.planStack(stack(), 'always'),
    async ({ backend, deployed }) => {
      await deployed(stack())
      return backend.planStack(stack('tb/ok:2', '2'), 'changed')
    },
    async ({ backend, deployed }) => {
      await deployed(hosted)
      return backend.planStack(hosted, 'never')
    },
    async ({ backend, engine }) => {
      const [secret] = stack().secrets
      assert.ok(secret && !secret.external)
      await engine.createSecret(secret.spec)
      return backend.planStack(stack(), 'never')
    },
  ],
  beginStack: [
    ({ backend, swarm, engine }) => {
      for (const kind of ['createNetwork', 'createSecret', 'createConfig'] as const) {
        swarm.failNext(kind, 'connection', lost)
      }
      return begun(backend, engine, stack())
    },
    async ({ backend, deployed, engine }) => {
      await deployed(stack())
      return begun(backend, engine, stack('tb/ok:2', '2'))
    },
  ],
  restoreServices: [
    async ({ backend, engine, deployed, swarm }) => {
      await deployed(serviceOnly('tb/ok:1'))
      const [web, worker] = ['web', 'worker'].map((key) => aServiceObject('shop', key, { image: 'tb/ok:2' }))
      const undone = new Backend(engine, { owner })
      const planned = await undone.planStack(
        aStackSpec('shop', { services: [web, worker].flatMap((one) => one ?? []) }),
        'never',
      )
      const application = await undone.beginStack(planned)
      await application.services(planned.plan.services)
      swarm.failNext('updateService', 'version-conflict')
      return backend.restoreServices(application.touched(), planned.observation)
    },
    ({ backend }) => backend.restoreServices([], { tasks: [], nodes: [] }),
  ],
  applyServices: [
    ({ backend, swarm }) => {
      swarm.failNext('createService', 'connection', lost)
      return backend.applyServices(serviceOnly('tb/ok:1'), 'always')
    },
    async ({ backend, deployed }) => {
      await deployed(stack())
      return backend.applyServices(stack('tb/ok:2'), 'changed')
    },
    async ({ backend, deployed, swarm }) => {
      await deployed(serviceOnly('tb/ok:1'))
      swarm.failNext('updateService', 'version-conflict')
      return backend.applyServices(serviceOnly('tb/ok:2'), 'never')
    },
    async ({ backend, deployed }) => {
      await deployed(hosted)
      return backend.applyServices(hosted, 'never')
    },
    async ({ backend, deployed, engine, swarm }) => {
      await deployed(stack())
      // As another client made it: without the mark by which its content is known.
      const live = swarm.secret('shop_key')
      await engine.updateSecret(live.ID, live.Version.Index, { ...live.Spec, Labels: {}, Data: btoa('s3cret') })
      return backend.applyServices(stack('tb/ok:2'), 'never')
    },
    ...comebacks((backend) => backend.applyServices(stack(), 'never')),
  ],
  findOrphans: [
    ({ backend }) => backend.findOrphans(keptOf(aStackSpec('shop'), [], Number.POSITIVE_INFINITY), { records: [] }),
  ],
  foreseeOrphans: [
    ({ backend }) =>
      backend.foreseeOrphans(
        keptOf(aStackSpec('shop'), [], Number.POSITIVE_INFINITY),
        { plan: { services: [] } },
        new Set(),
      ),
  ],
  prune: removals(({ backend }) => backend.prune(keptOf(aStackSpec('shop'), [], Number.POSITIVE_INFINITY))),
  listStacks: [({ backend }) => backend.listStacks()],
  removeStack: removals(({ backend }) => backend.removeStack('shop')),
  sweepOf: removals(({ backend }) => backend.sweepOf('shop')()),
  planRemoval: [({ backend }) => backend.planRemoval('shop', true)],
  removeVolumes: [({ backend }) => backend.removeVolumes({ volumes: ['shop_data'] })],
  removeRecords: [
    async ({ backend, engine }) => {
      const id = await engine.createConfig({ Name: 'record', Data: btoa('x') })
      return backend.removeRecords({ records: [{ id, name: 'record' }] })
    },
  ],
  stackServices: [({ backend }) => backend.stackServices('shop')],
  refreshSnapshot: [({ backend }) => backend.refreshSnapshot()],
  stackVolumes: [({ backend }) => backend.stackVolumes('shop')],
  removeVolume: [({ backend }) => backend.removeVolume('shop_data')],
  createConfig: [({ backend }) => backend.createConfig('record', Buffer.from('x'), {})],
  listConfigs: [({ backend }) => backend.listConfigs()],
  inspectConfig: [withConfig(({ backend }, id) => backend.inspectConfig(id))],
  deleteConfig: [withConfig(({ backend }, id) => backend.deleteConfig(id))],
  networkScopes: [({ backend }) => backend.networkScopes()],
  secretNames: [({ backend }) => backend.secretNames()],
  createOverlayNetwork: [({ backend }) => backend.createOverlayNetwork('all')],
  removeOverlayNetwork: [
    ({ backend }) => backend.removeOverlayNetwork('all'),
    async ({ backend, engine }) => {
      await engine.createNetwork({ Name: 'all', Driver: 'overlay' })
      return backend.removeOverlayNetwork('all')
    },
  ],
  withRegistryAuth: [async ({ backend }) => backend.withRegistryAuth(undefined)],
  withForbiddenSecrets: [async ({ backend }) => backend.withForbiddenSecrets(new Set())],
}

const methods = backendMethods().filter(({ name }) => name !== 'constructor')

test('every method is documented, and shown here', () => {
  assert.deepEqual(
    methods.filter(({ isDocumented }) => !isDocumented).map(({ name }) => name),
    [],
  )
  const source = Object.getOwnPropertyNames(Backend.prototype).filter((name) => name !== 'constructor')
  assert.deepEqual(methods.map(({ name }) => name).sort(), [...source].sort())
  assert.deepEqual(Object.keys(scenarios).sort(), [...source].sort())
})

for (const { name, calls } of methods) {
  test(`${name} makes the calls that its comment says, in that order`, async () => {
    const seen = new Set<string>()
    for (const scenario of scenarios[name] ?? []) {
      const made: string[] = []
      const swarm = createMemorySwarm()
      await scenario({
        swarm,
        backend: new Backend(noting(swarm.engine, made), { owner }),
        engine: swarm.engine,
        deployed: (spec) => new Backend(swarm.engine, { owner }).deployStack(spec, 'never'),
      })
      for (const place of placesOf(made, calls)) seen.add(place)
    }
    const documented = calls.flatMap((step, index) => step.map(({ call }) => `${index + 1}: ${call}`))
    assert.deepEqual([...seen].sort(), [...new Set(documented)].sort())
  })
}

test('calls that are missing, too many or in another order are found', () => {
  const one = (call: string, asNeeded = false): DocumentedCall => ({ call, times: 1, asNeeded })
  const steps = [[one('info'), one('listNodes', true)], [one('listTasks')]]
  assert.deepEqual(placesOf(['listNodes', 'info', 'listTasks'], steps), ['1: listNodes', '1: info', '2: listTasks'])
  for (const made of [
    ['info'],
    ['info', 'info', 'listTasks'],
    ['listTasks', 'info'],
    ['info', 'listTasks', 'listNodes'],
  ]) {
    assert.throws(() => placesOf(made, steps), /instead of/, made.join(' '))
  }
})

// --- Internal helpers ---

/** A removal of everything, and one of nothing. */
function removals(scenario: Scenario): readonly Scenario[] {
  return [
    scenario,
    async (situation) => {
      await situation.deployed(stack())
      return scenario(situation)
    },
  ]
}

/** The plan is made by somebody else, whose calls are nobody's. */
async function begun(backend: Backend, engine: Engine, spec: StackSpec): Promise<unknown> {
  return backend.beginStack(await new Backend(engine, { owner }).planStack(spec, 'never'))
}

/** The network is gone when the service is to be written, as after a removal that is not over. */
function comebacks(deploy: (backend: Backend) => Promise<unknown>): readonly Scenario[] {
  return [
    async ({ backend, deployed, engine, swarm }) => {
      await deployed(stack())
      await engine.removeService(swarm.service('shop_web').ID)
      swarm.before('createService', () => engine.removeNetwork('shop_front'))
      return deploy(backend)
    },
  ]
}

function withConfig(scenario: (situation: Situation, id: string) => Promise<unknown>): Scenario {
  return async (situation) =>
    scenario(situation, await situation.engine.createConfig({ Name: 'record', Data: btoa('x') }))
}

/** The same engine, whose calls are noted. */
function noting(engine: Engine, made: string[]): Engine {
  return new Proxy(engine, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver)
      if (typeof value === 'function') made.push(String(name))
      return value
    },
  })
}

/** Where in the steps each call stands, as `2: listNodes`; throws where they do not fit. */
function placesOf(made: readonly string[], steps: readonly (readonly DocumentedCall[])[]): readonly string[] {
  let at = 0
  const places = steps.flatMap((step, index) => {
    const places: string[] = []
    const due = step.flatMap(({ call, times, asNeeded }) => (asNeeded ? [] : Array<string>(times).fill(call)))
    const hasDue = due.length > 0
    for (; ; at++) {
      const call = made[at] ?? ''
      const required = due.indexOf(call)
      if (required !== -1) due.splice(required, 1)
      else if (!step.some((one) => one.call === call && one.asNeeded)) break
      // What was begun at once with something is before it: then it is the next step's.
      else if (due.length === 0 && hasDue && steps[index + 1]?.some((one) => one.call === call)) break
      places.push(`${index + 1}: ${call}`)
    }
    assert.deepEqual(due, [], `step ${index + 1} of ${made.join(' ')}: ${made[at]} instead of`)
    return places
  })
  assert.equal(at, made.length, `${made.slice(at).join(' ')} instead of the end, in ${made.join(' ')}`)
  return places
}
