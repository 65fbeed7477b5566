// A look at a stack costs the same few calls however big it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { readSnapshot } from '../../src/backend/snapshot.ts'
import { EngineError } from '../../src/engine/engine.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const LISTS = ['listNodes', 'listServices', 'listTasks', 'listTasks']

test('one list of each, the tasks twice, whatever the size of the stack', async () => {
  for (const count of [0, 1, 60]) {
    const swarm = createMemorySwarm()
    const services = Array.from({ length: count }, (_, index) => aServiceObject('shop', `s${index}`))
    await new Backend(swarm.engine).deployStack(aStackSpec('shop', { services }), 'never')
    const before = swarm.calls.length
    const snapshot = await readSnapshot(swarm.engine, 'shop', () => 1)
    assert.equal(snapshot.services.length, count)
    assert.deepEqual(swarm.calls.slice(before).sort(), LISTS, `${count} services`)
  }
})

test('its lists are all under way at once, and its instant is one before them', async () => {
  const { engine } = createMemorySwarm()
  const begun: string[] = []
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const held = async <T>(name: string, list: Promise<T>): Promise<T> => {
    begun.push(name)
    await released
    return list
  }
  const look = readSnapshot(
    {
      ...engine,
      listServices: () => held('listServices', engine.listServices()),
      listTasks: () => held('listTasks', engine.listTasks()),
      listNodes: () => held('listNodes', engine.listNodes()),
    },
    'shop',
    () => begun.length,
  )
  assert.deepEqual(begun.sort(), LISTS)
  release()
  assert.equal((await look).now, 0)
})

test('an engine that refuses the filter for tasks of the current spec cannot tell; any other failure is one', async () => {
  const { engine } = createMemorySwarm()
  const failing = (error: EngineError) => ({
    ...engine,
    listTasks: (filters?: Record<string, readonly string[]>) =>
      filters?.['_up-to-date'] === undefined ? engine.listTasks(filters) : Promise.reject(error),
  })
  const refused = await readSnapshot(failing(new EngineError('refused', 400, 'invalid filter')), 'shop', () => 0)
  assert.equal(refused.upToDate, undefined)
  const passing = new EngineError('passing', 503, 'no leader')
  await assert.rejects(
    readSnapshot(failing(passing), 'shop', () => 0),
    passing,
  )
})
