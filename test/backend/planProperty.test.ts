import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { createTheirs, pairsOfStacks, planAndDeploy } from '../support/planProperty.ts'

test('a deployment writes what its plan said, for 30 random pairs of manifests', async () => {
  const ends: string[] = []
  for (const pair of pairsOfStacks(30, () => 'shop')) {
    const { engine } = createMemorySwarm()
    await createTheirs(engine)
    for (const spec of pair) ends.push(await planAndDeploy(engine, spec))
  }
  const done = ends.filter((end) => end === 'done')
  assert.ok(done.length >= 50, ends.join())
})
