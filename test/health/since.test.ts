import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectationOf, sinceOfWrite } from '../../src/health/since.ts'
import type { Service } from '../../src/swarm/service.ts'

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.5Z`
const ms = (second: number) => Date.parse(at(second))

function service(updated: number, started?: number, monitor?: number): Service {
  return {
    ID: 'id',
    Version: { Index: 7 },
    CreatedAt: at(1),
    UpdatedAt: at(updated),
    Spec: {
      Name: 'shop_web',
      TaskTemplate: { ForceUpdate: 2 },
      Mode: { Replicated: { Replicas: 4 } },
      ...(monitor === undefined ? {} : { UpdateConfig: { Monitor: monitor * 1e9 } }),
    },
    ...(started === undefined ? {} : { UpdateStatus: { State: 'updating', StartedAt: at(started) } }),
  }
}

test('tasks of a new service count from its creation, though its status moved UpdatedAt', () => {
  assert.equal(sinceOfWrite(service(9)), ms(1))
})

test('tasks of an update count from the write', () => {
  assert.equal(sinceOfWrite(service(20), at(10)), ms(20))
})

test('when Swarm noted progress before the first read, the start of the update counts', () => {
  assert.equal(sinceOfWrite(service(30, 20), at(10)), ms(20))
})

test('the start of an update from before the write does not count', () => {
  assert.equal(sinceOfWrite(service(30, 5), at(10)), ms(30))
})

const options = { key: 'web', name: 'shop_web', written: true, firstRead: ms(40), maxFailures: 3 }

test('what to expect of a service', () => {
  assert.deepEqual(expectationOf(service(20), { ...options, previousUpdatedAt: at(10) }), {
    key: 'web',
    name: 'shop_web',
    id: 'id',
    written: true,
    since: ms(20),
    monitor: 5000,
    maxFailures: 3,
    template: { ForceUpdate: 2 },
    isWanted: undefined,
    replicas: 4,
  })
})

test('failures of a service left alone count from the first read', () => {
  assert.equal(expectationOf(service(20), { ...options, written: false }).since, ms(40))
})

test('the window is the one of the service, at least 5 s; one that is given is used as it is', () => {
  assert.equal(expectationOf(service(20, undefined, 30), options).monitor, 30_000)
  assert.equal(expectationOf(service(20, undefined, 1), options).monitor, 5000)
  assert.equal(expectationOf(service(20, undefined, 30), { ...options, monitor: 1000 }).monitor, 1000)
  assert.equal(expectationOf(service(20), { ...options, monitor: 0 }).monitor, 0)
})

test('a service that is not there has no id', () => {
  assert.equal(expectationOf(undefined, options).id, undefined)
})

test('the id is the one that the write answered, though someone has made the service anew since', () => {
  assert.equal(expectationOf(service(9), { ...options, id: 'before' }).id, 'before')
})

test('what is live is held against what was wanted', () => {
  const isWanted = () => false
  assert.equal(expectationOf(service(9), { ...options, isWanted }).isWanted, isWanted)
})
