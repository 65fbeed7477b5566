// On a real engine: a deployment that is cut off at a write of each kind is finished by the next run. test/commands/interruptions.test.ts
// does it at every write, in memory.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inParallel } from '../../src/backend/inParallel.ts'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { breaking } from '../support/breaking.ts'
import { broadStack } from '../support/broadStack.ts'
import { liveBed } from '../support/liveBed.ts'
import { liveStacks } from '../support/liveStack.ts'
import { recordedRun } from '../support/recordedRun.ts'
import { stackState } from '../support/stackState.ts'

const bed = await liveBed()
const tunnel = await openUnixTunnel(bed.socket, AbortSignal.timeout(10_000))
const engine = openEngine(tunnel.agent)
after(() => tunnel.close())
const stack = liveStacks(bed, 'cut')

const NEVER = Number.POSITIVE_INFINITY

/** The second version of a stack whose first is there. */
async function deploy(namespace: string, at: number, reaches: boolean) {
  const broken = breaking(engine, { at, reaches, forGood: true })
  const run = await recordedRun(broken.engine, broadStack(namespace, 2), '# 2\n')
  return { ...run, asked: broken.asked }
}

async function prepared(namespace: string): Promise<void> {
  const { error } = await recordedRun(engine, broadStack(namespace, 1), '# 1\n')
  assert.equal(error, undefined)
}

test('cut off at a write of each kind, before or after the engine did it, a deployment ends as a clean one', async (t) => {
  const clean = stack(t, 'clean').name
  await prepared(clean)
  const { asked, error } = await deploy(clean, NEVER, false)
  assert.equal(error, undefined)
  const state = await stackState(engine, clean)

  // The first of each kind, and the last two, which are those of the release record.
  const first = [...new Set(asked)].map((call) => asked.indexOf(call) + 1)
  const writes = [...new Set([...first, asked.length - 1, asked.length])]
  assert.deepEqual([...new Set(writes.map((at) => asked[at - 1]))].sort(), [
    'createConfig',
    'createNetwork',
    'createSecret',
    'createService',
    'updateConfig',
    'updateSecret',
    'updateService',
  ])
  const cases = writes.flatMap((at) => [false, true].map((reaches) => ({ at, reaches })))
  await inParallel(cases, 4, async ({ at, reaches }) => {
    const name = `${asked[at - 1]} as write ${at}, ${reaches ? 'done' : 'not done'}`
    const { name: namespace } = stack(t, `${at}-${reaches ? 'done' : 'lost'}`)
    await prepared(namespace)
    await deploy(namespace, at, reaches)
    const again = await deploy(namespace, NEVER, false)
    assert.equal(again.error, undefined, `${name}: ${again.error}`)
    assert.deepEqual(again.races, [], name)
    assert.deepEqual(await stackState(engine, namespace), state, name)
    const third = await deploy(namespace, NEVER, false)
    assert.deepEqual([third.error, third.changes, third.asked], [undefined, [], []], name)
  })
})
