import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { planIdOf } from '../../src/backend/planId.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { createTheirs, pairsOfStacks, planAndDeploy, touched } from '../support/planProperty.ts'

test('a deployment writes what its plan said, for 30 random pairs of manifests', async () => {
  const ends: string[] = []
  for (const pair of pairsOfStacks(30, () => 'shop')) {
    const { engine } = createMemorySwarm()
    await createTheirs(engine)
    for (const spec of [...pair, touched(pair[1])]) ends.push(await planAndDeploy(engine, spec))
  }
  const done = ends.filter((end) => end === 'done')
  assert.ok(done.length >= 75, ends.join())
})

test('the same plan has the same id, and another plan another one, for 10 random pairs of manifests', async () => {
  for (const [first, next] of pairsOfStacks(10, () => 'shop')) {
    const { engine } = createMemorySwarm()
    await createTheirs(engine)
    const backend = new Backend(engine, { rotate: true, owner: 'gha/acme/shop' })
    const plans = [first, first, next].map((spec) => backend.planStack(spec, 'never'))
    const ids = await Promise.all(plans.map(async (planned) => planIdOf(await planned, [], 'c1')))
    assert.equal(ids[0], ids[1])
    assert.notEqual(ids[0], ids[2])
  }
})
