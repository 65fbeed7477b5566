// The runner's cancel: the run stops before its next write, says what is applied, and is gone within 7 s.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { liveBed } from '../support/liveBed.ts'
import { liveStacks, throughRelay } from '../support/liveStack.ts'
import { openRelay } from '../support/relay.ts'
import type { ActionResult, RunningAction } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'cancel')

async function cancelled(action: RunningAction): Promise<ActionResult> {
  const at = performance.now()
  const result = await action.cancel()
  const took = performance.now() - at
  assert.ok(took < 7000, `it took ${took} ms to end\n${result.log}`)
  assert.deepEqual([result.signal, result.code], [null, 1], result.log)
  const { status, 'failure-reason': reason, 'failure-message': message } = result.outputs
  assert.deepEqual([status, reason], ['cancelled', 'cancelled'], result.log)
  assert.match(message ?? '', /The run was cancelled/)
  assert.match(result.summary, /was cancelled on its way/)
  return result
}

/** `Applied: network a, service b` of the end of the log. */
function listed({ log }: ActionResult, label: string): readonly string[] {
  return new RegExp(`^${label}: (.*)$`, 'm').exec(log)?.[1]?.split(', ') ?? []
}

const forty = [
  'services:',
  ...Array.from({ length: 40 }, (_, n) => `  s${n}: { image: tb/ok:1, deploy: { replicas: 0 } }`),
].join('\n')

describe('a cancelled run', { concurrency: true }, () => {
  test('while it connects: nothing was written', async (t) => {
    const silent = await openRelay(t)
    const { start, objects } = stack(t, 'connecting')
    const action = start(forty, { host: `ssh://deploy@127.0.0.1:${silent.port}` })
    await action.untilLine('::group::Connection')
    while (silent.connections === 0) await sleep(10)
    const result = await cancelled(action)
    assert.match(result.outputs['failure-message'] ?? '', /before anything was written/)
    assert.equal(result.outputs.changed, 'false')
    assert.deepEqual(await objects(), {})
  })

  test('while it waits: the services stay as they are, and the way back is named', async (t) => {
    const { name, start, objects, running } = stack(t, 'waiting')
    const slow = "services:\n  slow: { image: tb/slow:1, stop_grace_period: 1s, environment: { START_DELAY: '60' } }\n"
    const action = start(`${slow}  web: { image: tb/ok:1, stop_grace_period: 1s }\n`, { monitor: '1s' })
    await action.untilLine('✔ web')
    const before = { objects: await objects(), running: (await running()).map(({ ID }) => ID) }
    const result = await cancelled(action)
    assert.match(result.outputs['failure-message'] ?? '', /Nothing was rolled back/)
    assert.match(result.log, /docker service rollback/)
    assert.equal(result.outputs.changed, 'true')
    assert.deepEqual([...listed(result, 'Applied')].sort(), [
      `network ${name}_default`,
      `service ${name}_slow`,
      `service ${name}_web`,
    ])
    assert.deepEqual(listed(result, 'Not applied'), [])
    assert.deepEqual({ objects: await objects(), running: (await running()).map(({ ID }) => ID) }, before)
  })

  test('while it asks why a service failed: that it failed is said all the same', async (t) => {
    const { name, start } = stack(t, 'asking')
    const { relay, inputs } = await throughRelay(t, bed)
    const crash = 'services:\n  web: { image: tb/crash:1, deploy: { restart_policy: { delay: 0s } } }\n'
    const action = start(crash, { ...inputs, 'log-lines': '10' })
    await action.untilLine('Asking why: web')
    relay.hold()
    const result = await cancelled(action)
    assert.match(result.log, /web: .*exit code/, result.log)
    assert.deepEqual([...listed(result, 'Applied')].sort(), [`network ${name}_default`, `service ${name}_web`])
  })

  test('twice, it waits for nothing more', async (t) => {
    const { start } = stack(t, 'twice')
    const { relay, inputs } = await throughRelay(t, bed)
    const action = start(forty, inputs)
    await action.untilLine(/Creating service/)
    relay.hold()
    await sleep(300)
    action.kill('SIGINT')
    // As the runner does 7.5 s later, when nothing of this would be waited for.
    const at = performance.now()
    action.kill('SIGTERM')
    const { code, signal, outputs, log } = await action.done
    assert.ok(performance.now() - at < 3000, log)
    assert.deepEqual([code, signal, outputs.status], [1, null, 'cancelled'], log)
    assert.notDeepEqual(/^Unknown whether applied: .*service/m.exec(log), null, log)
  })

  test('while it writes forty services: no write begins after it, and what is applied is told from what is not', async (t) => {
    const { name, start, objects } = stack(t, 'writing')
    const { relay, inputs } = await throughRelay(t, bed)
    const action = start(forty, inputs)
    await action.untilLine(/Creating network/)
    // The answers to what was just sent wait until the signal has arrived.
    await action.untilLine(/Creating service/)
    relay.hold()
    const ending = cancelled(action)
    await sleep(500)
    relay.release()
    const result = await ending
    const atTheEnd = Object.keys(await objects()).sort()
    assert.ok(atTheEnd.length > 1 && atTheEnd.length < 40, `${atTheEnd.length} objects were written`)
    assert.deepEqual([...listed(result, 'Applied')].sort(), atTheEnd)
    const all = [`network ${name}_default`, ...Array.from({ length: 40 }, (_, n) => `service ${name}_s${n}`)]
    assert.deepEqual(
      [...listed(result, 'Not applied')].sort(),
      all.filter((object) => !atTheEnd.includes(object)).sort(),
    )
    assert.deepEqual(listed(result, 'Unknown whether applied'), [])
    await sleep(1000)
    assert.deepEqual(Object.keys(await objects()).sort(), atTheEnd)
  })

  test('on a connection that has died meanwhile: what was under way is called unknown', async (t) => {
    const { name, start, objects } = stack(t, 'dead')
    const { relay, inputs } = await throughRelay(t, bed)
    const action = start(forty, inputs)
    await action.untilLine(/Creating service/)
    relay.hold()
    // Time for answers that had passed the relay, and for the last requests to reach the engine.
    await sleep(300)
    const result = await cancelled(action)
    const [applied, open, unknown] = ['Applied', 'Not applied', 'Unknown whether applied'].map((label) =>
      listed(result, label),
    )
    assert.ok(applied && open && unknown && unknown.length > 0, result.log)
    assert.equal(result.outputs.changed, 'true')
    const written = Object.keys(await objects())
    for (const object of applied) assert.ok(written.includes(object), `${object} is called applied`)
    for (const object of open) assert.ok(!written.includes(object), `${object} is called not applied`)
    assert.equal(applied.length + open.length + unknown.length, 41, name)
  })
})
