import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import type { Change } from '../../src/backend/change.ts'
import { WriteJournal } from '../../src/backend/journal.ts'
import { DeployError } from '../../src/errors.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { aNetworkObject, aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const service = (name: string): Change => ({ kind: 'service', name, action: 'update', fields: ['image'] })
const [a, b, c, d] = [service('a'), service('b'), service('c'), service('d')]

test('what was written is what was begun and not refused, in the order of the plan', () => {
  const journal = new WriteJournal()
  journal.plan([a, b, c])
  journal.plan([d])
  assert.deepEqual(journal.written(), [])
  for (const name of ['service d', 'service c', 'service b']) journal.start(name)
  journal.done('service d')
  journal.refused('service c')
  assert.deepEqual(journal.written(), [b, d])
  assert.deepEqual(journal.report(), {
    applied: ['service d'],
    notApplied: ['service a', 'service c'],
    unknown: ['service b'],
  })
})

test('the first write is announced once, even if it was refused and is tried again', () => {
  let announced = 0
  const journal = new WriteJournal(() => announced++)
  journal.start('service a')
  journal.refused('service a')
  assert.equal(journal.wroteAnything, false)
  journal.start('service a')
  journal.start('service b')
  assert.equal(announced, 1)
})

test('a deployment that breaks off has written what it says, and names the service whose write failed', async () => {
  const swarm = createMemorySwarm()
  const journal = new WriteJournal()
  const spec = aStackSpec('shop', {
    networks: [aNetworkObject('shop', 'front')],
    services: [aServiceObject('shop', 'web'), aServiceObject('shop', 'worker')],
  })
  swarm.before('createService', () => swarm.failNext('createService', 'refused', { message: 'no more of these' }))
  const backend = new Backend(swarm.engine, { journal, concurrency: 1 })
  await assert.rejects(backend.deployStack(spec, 'never'), (error) => {
    assert.ok(error instanceof DeployError)
    assert.deepEqual([error.code, error.service, error.message], ['engine', 'web', 'no more of these'])
    return true
  })
  assert.deepEqual(
    journal.written().map(({ kind, name }) => `${kind} ${name}`),
    ['network shop_front'],
  )
  assert.deepEqual(swarm.writes, ['create network shop_front'])
})
