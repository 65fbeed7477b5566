import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { WriteJournal } from '../../src/backend/journal.ts'
import type { BackendOptions } from '../../src/backend/options.ts'
import { DeployError } from '../../src/errors.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import { aNetworkObject, anExternalObject, aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const attached = { template: { Networks: [{ Target: 'shop_front' }] } }
const spec = aStackSpec('shop', {
  networks: [aNetworkObject('shop', 'front')],
  services: [aServiceObject('shop', 'web', attached)],
})

/** A swarm whose services find no network, although it is listed, as often as that. */
async function withDoomedNetwork(times: number): Promise<MemorySwarm> {
  const swarm = createMemorySwarm()
  await new Backend(swarm.engine).deployStack({ ...spec, services: [] }, 'never')
  swarm.writes.length = 0
  for (let count = 0; count < times; count++) {
    swarm.failNext('createService', 'not-found', { message: 'network shop_front not found' })
  }
  return swarm
}

async function failureOf(swarm: MemorySwarm, options: BackendOptions, wanted = spec): Promise<DeployError> {
  const backend = new Backend(swarm.engine, options)
  const failure = await backend.deployStack(wanted, 'never').then(
    () => assert.fail('it was deployed'),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof DeployError, String(failure))
  return failure
}

describe('a network that Swarm has forgotten and still lists', () => {
  test('is waited for half a minute, and then the run says why it ends', async () => {
    const swarm = await withDoomedNetwork(1)
    let time = 0
    const failure = await failureOf(swarm, { now: () => (time += 20_000) })
    assert.equal(failure.code, 'network')
    assert.equal(failure.message, 'network shop_front is being removed, and still there after 30 s')
    assert.match(failure.remedy ?? '', /stop_grace_period/)
    assert.equal(failure.position?.line, 30)
    assert.deepEqual(swarm.writes, [])
  })

  test('is waited for no longer once the run is stopped', async () => {
    const swarm = await withDoomedNetwork(1)
    const stop = new AbortController()
    const journal = new WriteJournal()
    swarm.before('createService', () => swarm.before('listNetworks', () => stop.abort(new Error('cancelled'))))
    const failure = await failureOf(swarm, { signal: stop.signal, journal })
    assert.equal(failure.code, 'cancelled')
    assert.deepEqual(swarm.writes, [])
    assert.deepEqual(journal.written(), [])
  })

  test('whose place another one has taken is used', async () => {
    const swarm = await withDoomedNetwork(1)
    swarm.before('createService', async () => {
      await swarm.engine.removeNetwork(swarm.network('shop_front').Id)
      await swarm.engine.createNetwork({ Name: 'shop_front', Driver: 'overlay', Labels: {} })
    })
    const { changes } = await new Backend(swarm.engine).deployStack(spec, 'never')
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['service'],
    )
    assert.equal(swarm.service('shop_web').Spec.TaskTemplate.Networks?.[0]?.Target, swarm.network('shop_front').Id)
  })

  test('comes back once for all services, and not a second time', async () => {
    const swarm = await withDoomedNetwork(4)
    swarm.before('createService', () => swarm.engine.removeNetwork(swarm.network('shop_front').Id))
    const services = [aServiceObject('shop', 'a', attached), aServiceObject('shop', 'b', attached)]
    const failure = await failureOf(swarm, {}, { ...spec, services })
    assert.equal(failure.code, 'engine')
    assert.equal(failure.message, 'network shop_front not found')
    assert.deepEqual(swarm.writes, ['remove network shop_front', 'create network shop_front'])
  })

  test('is somebody else’s to mend if it is external', async () => {
    const swarm = await withDoomedNetwork(1)
    const failure = await failureOf(swarm, {}, { ...spec, networks: [anExternalObject('shop_front')] })
    assert.equal(failure.message, 'network shop_front not found')
    assert.equal(failure.service, 'web')
  })
})

test('a service that can not be updated for lack of a network was not removed by someone else', async () => {
  const swarm = createMemorySwarm()
  const backend = new Backend(swarm.engine)
  await backend.deployStack({ ...spec, services: [aServiceObject('shop', 'web')] }, 'never')
  swarm.failNext('updateService', 'not-found', { message: 'network shop_front not found' })
  swarm.before('updateService', () => swarm.engine.removeNetwork(swarm.network('shop_front').Id))
  const { changes } = await backend.deployStack(spec, 'never')
  assert.deepEqual(
    changes.map(({ kind, name, action }) => `${action} ${kind} ${name}`),
    ['create network shop_front', 'update service shop_web'],
  )
})
