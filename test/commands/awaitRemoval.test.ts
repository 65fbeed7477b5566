import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EndingTask, Remains, StackObject } from '../../src/backend/stackRemains.ts'
import { awaitRemoval } from '../../src/commands/awaitRemoval.ts'
import { remainsText } from '../../src/commands/remainsText.ts'
import { EngineError } from '../../src/engine/engine.ts'
import { type FakeClock, fakeClock } from '../rollout/fakeClock.ts'

const nothing: Remains = { objects: [], tasks: [] }
const web: EndingTask = { name: 'shop_web.1', node: 'node-a', nodeState: 'ready', graceMs: 10_000 }
const network: StackObject = { kind: 'network', id: 'n1', name: 'shop_front' }
const inUse = new EngineError('refused', 400, "config 'shop_conf' is in use by the following service: other_web")
const config: StackObject = { kind: 'config', id: 'c1', name: 'shop_conf', refusal: inUse }

/** Sweeps as the list says, the last of it for ever. */
async function watched(
  sweeps: readonly (Remains | Error)[],
  { timeout = 600_000, cancelAt = Number.POSITIVE_INFINITY } = {},
) {
  const clock: FakeClock = fakeClock(0)
  const late = new AbortController()
  const cancel = new AbortController()
  const said: string[] = []
  const troubles: string[] = []
  let count = 0
  const tick = (): void => {
    if (clock.now() >= timeout) late.abort(new Error('the time is up'))
    if (clock.now() >= cancelAt) cancel.abort(new Error('the run was cancelled'))
  }
  const end = await clock
    .run(
      awaitRemoval({
        async sweep() {
          const answer = sweeps[Math.min(count++, sweeps.length - 1)] ?? nothing
          if (answer instanceof Error) throw answer
          return answer
        },
        now: clock.now,
        sleep: async (ms, signal) => {
          await clock.sleep(ms, signal)
          tick()
        },
        deadline: {
          signal: late.signal,
          get passed() {
            return late.signal.aborted
          },
          remaining: () => Math.max(0, timeout - clock.now()),
        },
        cancelled: cancel.signal,
        onRemains: (remains) => said.push(`${clock.now() / 1000} s ${remainsText(remains)}`),
        onTrouble: ({ message }) => troubles.push(message),
      }),
    )
    .catch((error: unknown) => error)
  return { end, said, troubles, seconds: clock.now() / 1000, count }
}

test('tasks and networks are waited for, and what is left is said as it changes', async () => {
  const both = { objects: [network], tasks: [web] }
  const { end, said, seconds } = await watched([both, both, { objects: [network], tasks: [] }, nothing])
  assert.deepEqual(end, { kind: 'gone', remains: nothing })
  assert.deepEqual(said, ['0 s task shop_web.1 on node-a, network shop_front', '2 s network shop_front'])
  assert.equal(seconds, 3)
})

test('a long wait gives a sign of life every 15 s', async () => {
  const waiting = { objects: [], tasks: [web] }
  const { said } = await watched([...Array.from({ length: 40 }, () => waiting), nothing])
  assert.deepEqual(
    said.map((line) => line.split(' ')[0]),
    ['0', '15', '30'],
  )
})

test('a refusal is final only when it goes on without a task that could be the reason', async () => {
  const while20s = Array.from({ length: 20 }, () => ({ objects: [config], tasks: [web] }))
  const stuck = await watched([...while20s, { objects: [config], tasks: [] }])
  assert.deepEqual(stuck.end, { kind: 'stuck', remains: { objects: [config], tasks: [] } })
  assert.equal(stuck.seconds, 30)
  const freed = await watched([...while20s, { objects: [config], tasks: [] }, nothing])
  assert.deepEqual(freed.end, { kind: 'gone', remains: nothing })
})

test('when the time is up, the last look is the answer', async () => {
  const waiting = { objects: [network], tasks: [web] }
  const { end, seconds } = await watched([waiting], { timeout: 4500 })
  assert.deepEqual(end, { kind: 'timed-out', remains: waiting })
  assert.equal(seconds, 4.5)
  const blind = await watched([new EngineError('connection', 0, 'no answer')], { timeout: 4500 })
  assert.deepEqual(blind.end, { kind: 'timed-out', remains: undefined })
})

test('a bad moment is waited out, other errors end the wait, and so does a cancellation', async () => {
  const moment = new EngineError('passing', 503, 'the swarm has no leader')
  const passed = await watched([moment, moment, nothing])
  assert.deepEqual(
    [passed.end, passed.troubles],
    [{ kind: 'gone', remains: nothing }, [moment.message, moment.message]],
  )
  assert.equal(passed.seconds, 3)
  const refused = new EngineError('refused', 500, 'no')
  assert.equal((await watched([refused])).end, refused)
  const lost = new EngineError('connection', 0, 'lost', { cause: Object.assign(new Error('gone'), { final: true }) })
  const final = await watched([lost])
  assert.deepEqual([final.end, final.count], [lost, 1])
  const cancelled = await watched([{ objects: [], tasks: [web] }], { cancelAt: 2000 })
  assert.match(String(cancelled.end), /the run was cancelled/)
})

const task = (name: string, node = 'node-a', nodeState = 'ready'): EndingTask => ({ ...web, name, node, nodeState })
const texts: readonly (readonly [string, Remains, string])[] = [
  ['nothing', nothing, ''],
  ['a node that is down', { objects: [], tasks: [task('a.1', 'node-b', 'down')] }, 'task a.1 on node-b (node is down)'],
  ['a task without a node', { objects: [], tasks: [task('a.1', '', '')] }, 'task a.1'],
  [
    'many tasks',
    { objects: [], tasks: [1, 2, 3, 4, 5, 6, 7].map((n) => task(`a.${n}`, '')) },
    'tasks a.1, a.2, a.3, a.4, a.5 and 2 more',
  ],
  ['a refusal', { objects: [config, network], tasks: [] }, 'config shop_conf (the engine refuses), network shop_front'],
]
for (const [title, remains, text] of texts) {
  test(`in words: ${title}`, () => assert.equal(remainsText(remains), text))
}
