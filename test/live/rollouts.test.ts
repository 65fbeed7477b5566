// Updates that Swarm gives up, and what mends them.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { engineCall } from '../support/engineCall.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, type LiveStack, liveStacks } from '../support/liveStack.ts'
import type { ActionResult } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'rollout')

function manifest(image: string, replicas: number, update = ''): string {
  return `services:
  web:
    image: ${image}
    stop_grace_period: 1s
    deploy:
      replicas: ${replicas}
      restart_policy: { delay: 1s }
      update_config: { monitor: 1s, parallelism: 1${update} }
`
}

const quickly = { monitor: '1s' }

function assertFailed(result: ActionResult, reason: string, words: RegExp): void {
  assert.equal(result.code, 1, result.log)
  const { status, 'failure-reason': failureReason, 'failure-message': message = '' } = result.outputs
  assert.deepEqual([status, failureReason], ['failed', reason], result.log)
  assert.match(message, words)
  const [error, ...others] = annotations(result, 'error')
  assert.ok(error?.startsWith('stack.yml:3: '), error)
  assert.deepEqual(others, [])
}

async function images({ running }: LiveStack): Promise<readonly (string | undefined)[]> {
  return (await running()).map((task) => task.Spec.ContainerSpec?.Image)
}

describe('an update', { concurrency: true }, () => {
  test('an update that Swarm pauses fails, also when it is run again, and a mended manifest converges', async (t) => {
    const made = stack(t, 'pause')
    const { name, deploy } = made
    assert.equal((await deploy(manifest('tb/ok:1', 1), quickly)).outputs.status, 'converged')
    const words = /update paused due to failure or early termination of task .*task: non-zero exit \(3\)/
    const paused = await deploy(manifest('tb/crash:1', 1), quickly)
    assertFailed(paused, 'paused', words)
    assert.deepEqual(changesOf(paused), [`update service ${name}_web`])
    const again = await deploy(manifest('tb/crash:1', 1), quickly)
    // No task is left to be replaced, so that Swarm only starts the new one over and over.
    assertFailed(again, 'crash-loop', /web\.1 failed 3 times.*task: non-zero exit \(3\)/)
    assert.deepEqual(changesOf(again), [`retry service ${name}_web`])

    const mended = await deploy(manifest('tb/ok:2', 1), quickly)
    assert.equal(mended.outputs.status, 'converged', mended.log)
    assert.deepEqual(await images(made), ['tb/ok:2'])
  })

  test('an update that Swarm rolls back fails, also when it is run again; the old version runs', async (t) => {
    const made = stack(t, 'back')
    const { name, deploy } = made
    const rollback = ', failure_action: rollback'
    assert.equal((await deploy(manifest('tb/ok:1', 1, rollback), quickly)).outputs.status, 'converged')
    for (const run of ['first', 'again']) {
      const result = await deploy(manifest('tb/crash:1', 1, rollback), quickly)
      assertFailed(result, 'rolled-back', /task: non-zero exit \(3\)/)
      assert.deepEqual(changesOf(result), [`update service ${name}_web`], run)
    }
    const mended = await deploy(manifest('tb/ok:2', 1, rollback), quickly)
    assert.equal(mended.outputs.status, 'converged', mended.log)
    assert.deepEqual(await images(made), ['tb/ok:2'])
  })

  test('a paused update whose image has appeared meanwhile is resumed and converges', async (t) => {
    const made = stack(t, 'resume')
    const { name, deploy } = made
    const image = `tb/appears-${process.pid}:1`
    after(() => engineCall(bed.socket, 'DELETE', `/images/${image}`))
    assert.equal((await deploy(manifest('tb/ok:1', 2), quickly)).outputs.status, 'converged')
    const missing = await deploy(manifest(image, 2), quickly)
    assertFailed(missing, 'paused', new RegExp(`update paused due to failure .*No such image: ${image}`))

    await engineCall(bed.socket, 'POST', `/images/tb%2Fok:2/tag?repo=${image.slice(0, -2)}&tag=1`)
    const resumed = await deploy(manifest(image, 2), quickly)
    assert.equal(resumed.outputs.status, 'converged', resumed.log)
    assert.deepEqual(changesOf(resumed), [`retry service ${name}_web`])
    assert.deepEqual(await images(made), [image, image])
    assert.equal((await deploy(manifest(image, 2), quickly)).outputs.status, 'unchanged')
  })
})
