// A deployment that breaks off at any of its writes, in any way: the next run gets where one clean run would have got.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Break, breaking } from '../support/breaking.ts'
import { broadStack } from '../support/broadStack.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import { recordedRun } from '../support/recordedRun.ts'
import { stackState } from '../support/stackState.ts'

const NEVER: Break = { at: Number.POSITIVE_INFINITY, reaches: false, forGood: false }

const manifest = (version: number): string => `# ${version}\n`

/** Swarms in the states from which a deployment begins. */
const beginnings: Readonly<Record<string, () => Promise<MemorySwarm>>> = {
  'of a new stack': async () => createMemorySwarm(),
  'of a changed stack': async () => {
    const swarm = createMemorySwarm()
    assert.equal((await recordedRun(swarm.engine, broadStack('shop', 1), manifest(1))).error, undefined)
    return swarm
  },
  'of a stack that another tool made': async () => {
    const swarm = createMemorySwarm()
    const { networks, secrets, configs, services } = broadStack('shop', 1)
    for (const object of networks)
      if (!object.external) await swarm.engine.createNetwork({ ...object.spec, Driver: 'overlay' })
    for (const object of secrets) if (!object.external) await swarm.engine.createSecret(object.spec)
    for (const object of configs) if (!object.external) await swarm.engine.createConfig(object.spec)
    const [first] = services.filter(({ key }) => key === 'same')
    if (first) await swarm.engine.createService(first.spec)
    return swarm
  },
}

/** Rotated secrets have names with salt in them. */
const withoutSalt = (writes: readonly string[]): readonly string[] =>
  writes.map((write) => write.replace(/(secret .*)-[0-9a-f]{8}$/, '$1-SALTED')).sort()

for (const [what, begin, inTurns] of [
  ...Object.entries(beginnings).map(([what, begin]) => [what, begin, false] as const),
  ['of a stack that is written in turns', async () => createMemorySwarm(), true],
] as const) {
  const run = (swarm: MemorySwarm, how: Break) => {
    const { engine, asked } = breaking(swarm.engine, how)
    return recordedRun(engine, broadStack('shop', 2), manifest(2), { inTurns }).then((result) => ({ ...result, asked }))
  }
  const clean = async () => {
    const swarm = await begin()
    const before = swarm.writes.length
    const { error, asked } = await run(swarm, NEVER)
    assert.equal(error, undefined)
    const state = await stackState(swarm.engine, 'shop')
    assert.doesNotMatch(state.join(), /"isWritten":false/)
    return { state, count: asked.length, writes: swarm.writes.slice(before) }
  }
  const everyWrite = (count: number, forGood: boolean): readonly Break[] =>
    Array.from({ length: count }, (_, index) => index + 1).flatMap((at) =>
      [false, true].map((reaches) => ({ at, reaches, forGood })),
    )
  const name = ({ at, reaches }: Break): string => `write ${at}, ${reaches ? 'done' : 'not done'}`

  test(`a deployment ${what} that is cut off at any write is finished by the next run, with nothing doubled`, async () => {
    const { state, count, writes } = await clean()
    assert.ok(count > 8)
    for (const how of everyWrite(count, true)) {
      const swarm = await begin()
      const before = swarm.writes.length
      const { journal } = await run(swarm, how)
      const there = swarm.writes.slice(before).map((write) => write.replace(/^\w+ /, ''))
      const { applied, notApplied } = journal.report()
      for (const object of applied) assert.ok(there.includes(object), `${name(how)}: ${object} is called applied`)
      for (const object of notApplied)
        assert.ok(!there.includes(object), `${name(how)}: ${object} is called not applied`)

      const again = await run(swarm, NEVER)
      assert.equal(again.error, undefined, name(how))
      assert.deepEqual(again.races, [], name(how))
      assert.deepEqual(await stackState(swarm.engine, 'shop'), state, name(how))
      assert.deepEqual(withoutSalt(swarm.writes.slice(before)), withoutSalt(writes), name(how))
      const third = await run(swarm, NEVER)
      assert.deepEqual([third.changes, third.asked], [[], []], name(how))
    }
  })

  test(`a deployment ${what} that loses any one of its calls, or its answer, goes on and writes nothing twice`, async () => {
    const { state, count, writes } = await clean()
    const cases = everyWrite(count, false).map(async (how) => {
      const swarm = await begin()
      const before = swarm.writes.length
      const { error, races, journal, warnings } = await run(swarm, how)
      assert.equal(error, undefined, name(how))
      assert.deepEqual([races, journal.report().unknown], [[], []], name(how))
      assert.deepEqual(await stackState(swarm.engine, 'shop'), state, `${name(how)}: ${JSON.stringify(warnings)}`)
      assert.deepEqual(withoutSalt(swarm.writes.slice(before)), withoutSalt(writes), name(how))
    })
    await Promise.all(cases)
  })
}
