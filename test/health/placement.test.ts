// What the scheduler's reasons mean for this service and these nodes. Its texts: swarmkit manager/scheduler/filter.go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readingOf } from '../../src/health/placement.ts'
import type { Snapshot } from '../../src/health/verdict.ts'
import type { NodeAvailability, NodeState } from '../../src/swarm/node.ts'
import type { Resources, Service } from '../../src/swarm/service.ts'

const meta = { Version: { Index: 1 }, CreatedAt: '', UpdatedAt: '' }

const node = (name: string, availability: NodeAvailability, state: NodeState = 'ready') => ({
  ...meta,
  ID: `id-${name}`,
  Spec: { Availability: availability },
  Description: { Hostname: name },
  Status: { State: state },
})

function reading(error: string, nodes: Snapshot['nodes'], reservations: Resources = {}): string {
  const service: Service = {
    ...meta,
    ID: 's',
    Spec: { Name: 'shop_web', TaskTemplate: { Resources: { Reservations: reservations } } },
  }
  return readingOf(`no suitable node (${error})`, service, 1, { now: 0, services: [], tasks: [], nodes })
}

test('nodes that take no new tasks are named with the reason', () => {
  const nodes = [
    node('a', 'active'),
    node('b', 'drain'),
    node('c', 'pause'),
    node('d', 'drain'),
    node('e', 'active', 'down'),
    node('f', 'pause', 'unknown'),
  ]
  assert.equal(
    reading('5 nodes not available for new tasks; insufficient resources on 1 node', nodes, { MemoryBytes: 2 ** 40 }),
    '; not available: b, d (drained), c (paused), e (down), f (not heard of at the moment); each task reserves 1048576 MiB of memory',
  )
  assert.equal(reading('1 node not available for new tasks', [node('a', 'active')]), '', 'it is back by now')
})

test('generic resources are named', () => {
  const GenericResources = [
    { DiscreteResourceSpec: { Kind: 'gpu', Value: 2 } },
    { NamedResourceSpec: { Kind: 'card', Value: 'UUID1' } },
  ]
  const cases: readonly (readonly [Resources, string])[] = [
    [{ GenericResources }, '; each task reserves 2 gpu and card UUID1'],
    [{ NanoCPUs: 1.5e9, GenericResources }, '; each task reserves 1.5 CPUs and 2 gpu and card UUID1'],
    [{}, ''],
  ]
  for (const [reservations, expected] of cases) {
    assert.equal(reading('insufficient resources on 2 nodes', [], reservations), expected)
  }
})
