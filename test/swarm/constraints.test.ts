import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeMatches, parseConstraints } from '../../src/swarm/constraints.ts'
import type { Node } from '../../src/swarm/node.ts'

const node: Node = {
  ID: '71t3p7w1fv0guznmk2tmcu9x1',
  Version: { Index: 1 },
  CreatedAt: '2026-01-01T00:00:00Z',
  UpdatedAt: '2026-01-01T00:00:00Z',
  Spec: { Role: 'manager', Availability: 'active', Labels: { disk: 'SSD', Zone: 'a b' } },
  Description: {
    Hostname: 'node-a',
    Platform: { OS: 'linux', Architecture: 'x86_64' },
    Engine: { Labels: { storage: 'fast' } },
  },
  Status: { State: 'ready', Addr: '10.0.0.5' },
}

const table: readonly (readonly [expression: string, matches: boolean])[] = [
  ['node.id==71t3p7w1fv0guznmk2tmcu9x1', true],
  ['node.hostname == NODE-A', true],
  ['node.hostname != node-a', false],
  ['node.role==manager', true],
  ['node.role!=manager', false],
  ['Node.Role==manager', true],
  ['node.platform.os==linux', true],
  ['node.platform.arch==aarch64', false],
  ['node.labels.disk==ssd', true],
  ['node.labels.disk!=ssd', false],
  ['NODE.LABELS.disk==ssd', true],
  ['node.labels.DISK==ssd', false],
  ['node.labels.absent==x', false],
  ['node.labels.absent!=x', true],
  ['node.labels.Zone==a b', true],
  ['engine.labels.storage==fast', true],
  ['node.ip==10.0.0.5', true],
  ['node.ip!=10.0.0.5', false],
  ['node.ip==10.0.0.0/24', true],
  ['node.ip==10.0.1.0/24', false],
  ['node.ip!=10.0.1.0/24', true],
  ['node.ip==10.0.0.0/99', false],
  ['node.ip==fd00::1', false],
  ['node.ip==nonsense', false],
  ['node.unknown==x', false],
  ['node.unknown!=x', false],
]

for (const [expression, matches] of table) {
  test(`a node ${matches ? 'meets' : 'does not meet'} ${expression}`, () => {
    const constraints = parseConstraints([expression])
    assert.ok(constraints)
    assert.equal(nodeMatches(node, constraints), matches)
  })
}

for (const expression of ['node.role=manager', 'node.role', '==x', 'node.role==', 'node.labels.a==@', 'n==x']) {
  test(`Swarm cannot read ${JSON.stringify(expression)}`, () => {
    assert.equal(parseConstraints(['node.role==worker', expression]), undefined)
  })
}

test('all constraints have to be met', () => {
  const constraints = parseConstraints(['node.role==manager', 'node.labels.disk==hdd'])
  assert.ok(constraints)
  assert.equal(nodeMatches(node, constraints), false)
  assert.equal(nodeMatches(node, []), true)
})
