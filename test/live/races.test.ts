// Two runs of one stack at once.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { liveBed } from '../support/liveBed.ts'
import { type LiveStack, liveStacks, throughRelay } from '../support/liveStack.ts'
import type { ActionResult } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'race')
const four = ['a', 'b', 'c', 'd']

/** Every service says twice whose it is. */
const manifest = (who: number, keys = four): string =>
  `services:\n${keys.map((key) => `  ${key}: { image: 'tb/ok:${who}', environment: { WHO: '${who}' }, stop_grace_period: 1s }\n`).join('')}`

/** Each service is wholly of one run, and a run that did not get its way says so. */
async function assertWhole({ services }: LiveStack, count: number, results: readonly ActionResult[]): Promise<void> {
  const logs = results.map(({ log }) => log).join('\n')
  const live = await services()
  const owners = live.map(({ Spec: { TaskTemplate: task, Labels } }) => {
    const { Image: image, Env: env } = task.ContainerSpec ?? {}
    return `${image} ${env?.join()} ${Labels?.['com.docker.stack.image']}`
  })
  assert.equal(live.length, count, logs)
  for (const owner of owners) assert.match(owner, /^tb\/ok:(\d) WHO=\1 tb\/ok:\1$/, logs)
  const lost = results.filter(({ outputs }) => outputs.status !== 'converged')
  assert.ok(lost.length > 0, `both say they converged\n${logs}`)
  for (const { outputs, code, log } of lost) {
    assert.equal(code, 1, log)
    assert.equal(outputs['failure-reason'], 'conflict', log)
    assert.match(outputs['failure-message'] ?? '', /by someone else|someone else changed/, log)
  }
  for (const [index, { outputs }] of results.entries()) {
    if (outputs.status !== 'converged') continue
    assert.ok(
      owners.every((owner) => owner.startsWith(`tb/ok:${index + 1} `)),
      `run ${index + 1} says that it converged, and has not all services\n${logs}`,
    )
  }
}

describe('two runs of a stack at once', { concurrency: true }, () => {
  for (const [what, prepared] of [
    ['that is new', false],
    ['that is there', true],
  ] as const) {
    test(`leave each service of a stack ${what} wholly to one of them, and the other says so`, async (t) => {
      const made = stack(t, prepared ? 'update' : 'create')
      const other = stack(t, prepared ? 'update-too' : 'create-too')
      if (prepared) {
        const first = await made.deploy(manifest(3).replaceAll('tb/ok:3', 'tb/healthy:1'), { wait: 'false' })
        assert.equal(first.outputs.status, 'deployed', first.log)
      }
      const results = await Promise.all([
        made.deploy(manifest(1)),
        other.deploy(manifest(2), { 'stack-name': made.name }),
      ])
      await assertWhole(made, four.length, results)
    })
  }

  test('a run whose services are overwritten before it can look at them does not take the others for its own', async (t) => {
    const made = stack(t, 'late')
    const other = stack(t, 'late-too')
    const { relay, inputs } = await throughRelay(t, bed)
    // No more than the connections that reading has opened: opening one would need an answer.
    const three = four.slice(0, 3)
    const slow = made.start(manifest(1, three), inputs)
    await slow.untilLine('Creating service')
    // It has sent its writes, and hears nothing of them until the other one is done.
    relay.hold()
    for (let tries = 0; tries < 100 && (await made.services()).length < three.length; tries++) await sleep(50)
    assert.equal((await made.services()).length, three.length)
    const winner = await other.deploy(manifest(2, three), { 'stack-name': made.name, wait: 'false' })
    assert.equal(winner.outputs.status, 'deployed', winner.log)
    relay.release()
    await assertWhole(made, three.length, [await slow.done])
  })
})
