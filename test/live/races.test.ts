// Two runs of one stack at once.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Backend } from '../../src/backend/backend.ts'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import type { Config } from '../../src/swarm/secret.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { engineCall } from '../support/engineCall.mjs'
import { liveBed } from '../support/liveBed.ts'
import { type LiveStack, liveStacks, throughRelay } from '../support/liveStack.ts'
import type { ActionResult } from '../support/runner.mjs'
import { aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'race')
const tunnel = await openUnixTunnel(bed.socket, AbortSignal.timeout(10_000))
const engine = openEngine(tunnel.agent)
after(() => tunnel.close())
const four = ['a', 'b', 'c', 'd']

/** Every service says twice whose it is. */
const manifest = (who: number, keys = four): string =>
  `services:\n${keys.map((key) => `  ${key}: { image: 'tb/ok:${who}', environment: { WHO: '${who}' }, stop_grace_period: 1s }\n`).join('')}`

/** What each service says of whose it is. */
async function ownersOf({ services }: LiveStack): Promise<readonly string[]> {
  return (await services()).map(({ Spec: { TaskTemplate: task, Labels } }) => {
    const { Image: image, Env: env } = task.ContainerSpec ?? {}
    return `${image} ${env?.join()} ${Labels?.['com.docker.stack.image']}`
  })
}

/** Each service is wholly of one run, and a run that did not get its way says so. */
async function assertWhole(made: LiveStack, count: number, results: readonly ActionResult[]): Promise<void> {
  const logs = results.map(({ log }) => log).join('\n')
  const owners = await ownersOf(made)
  assert.equal(owners.length, count, logs)
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
    const { relay, inputs } = await throughRelay(t, bed)
    // No more than the connections that reading has opened: opening one would need an answer.
    const three = four.slice(0, 3)
    const slow = made.start(manifest(1, three), inputs)
    await slow.untilLine('Creating service')
    // It has sent its writes, and hears nothing of them until the other one is done.
    relay.hold()
    for (let tries = 0; tries < 100 && (await made.services()).length < three.length; tries++) await sleep(50)
    assert.equal((await made.services()).length, three.length)
    // In this process, as the connection does not outlive a long silence.
    const winner = three.map((key) =>
      aServiceObject(made.name, key, { image: 'tb/ok:2', container: { Env: ['WHO=2'] } }),
    )
    await new Backend(engine, { owner: 'gha/acme/shop' }).deployStack(
      aStackSpec(made.name, { services: winner }),
      'never',
    )
    relay.release()
    await assertWhole(made, three.length, [await slow.done])
  })

  test('each service has the config of the run whose it is, and every record its own number', async (t) => {
    const files = (who: number) => ({ 'motd.txt': `of ${who}\n` })
    const mounting = (who: number): string =>
      `${manifest(who).replaceAll('stop_grace_period', 'configs: [motd], stop_grace_period')}configs:\n  motd: { file: motd.txt }\n`
    const made = stack(t, 'rotate', files(1))
    const other = stack(t, 'rotate-too', files(2))
    const third = stack(t, 'rotate-three', files(3))
    const first = await third.deploy(mounting(3).replaceAll('tb/ok:3', 'tb/healthy:1'), {
      'stack-name': made.name,
      wait: 'false',
    })
    assert.equal(first.outputs.status, 'deployed', first.log)
    const results = await Promise.all([
      made.deploy(mounting(1)),
      other.deploy(mounting(2), { 'stack-name': made.name }),
    ])
    await assertWhole(made, four.length, results)
    const { json } = await engineCall(bed.socket, 'GET', '/configs')
    const configs = json as readonly Config[]
    for (const { Spec } of await made.services()) {
      const { Image = '', Configs } = Spec.TaskTemplate.ContainerSpec ?? {}
      const mounted = configs.find(({ ID }) => ID === Configs?.[0]?.ConfigID)
      assert.equal(atob(mounted?.Spec.Data ?? ''), `of ${Image.slice(-1)}\n`)
    }
    // Whoever wrote all that it planned has a record, whatever became of it then.
    const recorded = results.filter(({ log }) => log.includes('Wrote release record')).length
    const names = configs
      .filter(({ Spec }) => Spec.Labels?.['com.swarmcli.release'] === made.name)
      .map(({ Spec }) => Spec.Name)
    assert.deepEqual(
      names.sort(),
      Array.from({ length: 1 + recorded }, (_, index) => `swarmcli.release.${made.name}.v${index + 1}`),
    )
  })

  test('a removal and a deployment: both say how they ended, and the next deployment gets its way', async (t) => {
    const made = stack(t, 'removal')
    const other = stack(t, 'removal-too')
    assert.equal((await made.deploy(manifest(1), { wait: 'false' })).outputs.status, 'deployed')
    const [deployment, removal] = await Promise.all([
      made.deploy(manifest(2), { timeout: '60s' }),
      other.deploy('', { command: 'remove', 'stack-name': made.name, timeout: '60s' }),
    ])
    const ends = [deployment.outputs.status, removal.outputs.status]
    const logs = `${deployment.log}\n${removal.log}`
    assert.ok(ends.includes('converged') || ends.includes('removed'), logs)
    for (const { outputs, code } of [deployment, removal]) {
      if (code !== 0) assert.ok(outputs['failure-message'] && outputs['failure-reason'], logs)
    }
    const again = await made.deploy(manifest(2))
    // Where the removal was through before the deployment began, nothing is left to write.
    assert.ok(['converged', 'unchanged'].includes(again.outputs.status ?? ''), `${logs}\n${again.log}`)
    assert.deepEqual(await ownersOf(made), Array(four.length).fill('tb/ok:2 WHO=2 tb/ok:2'), `${logs}\n${again.log}`)
  })
})
