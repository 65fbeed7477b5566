// `command: status`: how a stack stands, in each of its four states, without a change to anything.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { engineCall } from '../support/engineCall.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, type LiveStack, liveStacks, reach, servicesOf } from '../support/liveStack.ts'
import { type ActionResult, startAction } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'status')

const manifest = (image: string, more = ''): string => `services:
  web:
    image: ${image}
    stop_grace_period: 1s
    deploy:
      restart_policy: { delay: 300ms }
      update_config: { monitor: 1s }
  none: { image: tb/ok:1, deploy: { replicas: 0 } }
${more}`

/** Asks without a checkout: by name alone. */
function statusOf(name: string, inputs: Readonly<Record<string, string>> = {}): Promise<ActionResult> {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'status-'))
  const { done } = startAction({
    workspace,
    inputs: { ...reach(bed), command: 'status', 'stack-name': name, ...inputs },
  })
  return done.finally(() => fs.rmSync(workspace, { recursive: true }))
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 150; tries++) {
    if (await condition()) return
    await sleep(200)
  }
  assert.fail('it did not come about within 30 s')
}

/** A service's spec is written as it is but for what `change` makes of its template. */
async function update({ services, name }: LiveStack, key: string, image: string): Promise<void> {
  const service = (await services()).find(({ Spec }) => Spec.Name === `${name}_${key}`)
  assert.ok(service)
  const { Spec: spec, Version, ID } = service
  const template = { ...spec.TaskTemplate, ContainerSpec: { ...spec.TaskTemplate.ContainerSpec, Image: image } }
  await engineCall(bed.socket, 'POST', `/services/${ID}/update?version=${Version.Index}`, {
    ...spec,
    TaskTemplate: template,
  })
}

const states = (result: ActionResult) => servicesOf(result).map(({ name, state }) => `${name} ${state}`)

describe('status', { concurrency: true }, () => {
  test('absent: there is no such stack, which is a failure with advice', async () => {
    const result = await statusOf('status-nobody')
    assert.deepEqual([result.code, result.outputs.status], [1, 'absent'], result.log)
    assert.equal(result.outputs['failure-reason'], 'missing-resource')
    assert.match(result.outputs['failure-message'] ?? '', /no service of a stack status-nobody/)
    assert.deepEqual(servicesOf(result), [])
  })

  test('healthy, then progressing, then degraded with its reason; nothing is written by asking', async (t) => {
    const made = stack(t, 'life')
    const deployed = await made.deploy(manifest('tb/ok:1'), { monitor: '1s' })
    assert.equal(deployed.outputs.status, 'converged', deployed.log)
    const before = await made.objects()
    const healthy = await statusOf(made.name, { monitor: '1s' })
    assert.deepEqual([healthy.code, healthy.outputs.status], [0, 'healthy'], healthy.log)
    assert.deepEqual(states(healthy), ['none converged', 'web converged'])
    assert.deepEqual([healthy.outputs.changed, changesOf(healthy)], ['false', []])
    assert.deepEqual([healthy.outputs.revision, healthy.outputs['previous-revision']], ['1', ''])
    assert.deepEqual(await made.objects(), before)

    // A container that is not healthy for long, from behind the action's back.
    await update(made, 'web', 'tb/slow:1')
    const progressing = await statusOf(made.name)
    assert.deepEqual([progressing.code, progressing.outputs.status], [0, 'progressing'], progressing.log)
    assert.match(servicesOf(progressing)[1]?.reason ?? '', /update under way/)

    await update(made, 'web', 'tb/crash:1')
    await until(async () => (await made.services()).some(({ UpdateStatus }) => UpdateStatus?.State === 'paused'))
    const degraded = await statusOf(made.name)
    assert.deepEqual([degraded.code, degraded.outputs.status], [1, 'degraded'], degraded.log)
    assert.deepEqual(states(degraded), ['none converged', 'web failed'])
    const { 'failure-reason': reason, 'failed-service': service, 'failure-message': message = '' } = degraded.outputs
    assert.deepEqual([reason, service], ['paused', 'web'])
    assert.match(message, /update paused due to failure.*task: non-zero exit \(3\)/)
    assert.match(degraded.log, /\| boom$/m)
  })

  test('with a manifest: its order, its lines, and what of it is missing', async (t) => {
    const made = stack(t, 'lines')
    const crash = manifest('tb/crash:1')
    const deployed = await made.deploy(crash, { wait: 'false' })
    assert.equal(deployed.outputs.status, 'deployed', deployed.log)
    await until(async () => (await made.tasks()).filter(({ Status }) => Status.State === 'failed').length >= 3)
    const result = await made.deploy(`${crash}  gone: { image: tb/ok:1 }\n`, { command: 'status' })
    assert.deepEqual([result.code, result.outputs.status], [1, 'degraded'], result.log)
    assert.deepEqual(states(result), ['web failed', 'none converged', 'gone failed'])
    assert.match(result.outputs['failure-message'] ?? '', /web\.1 failed \d times.*task: non-zero exit \(3\)/)
    const [web, gone] = annotations(result, 'error')
    assert.match(web ?? '', /^stack\.yml:3: /)
    assert.match(gone ?? '', /^stack\.yml:\d+: .*not in the swarm/)
    // One that cannot be read is no reason not to look, but then what it would have masked is not known.
    const broken = await made.deploy('services: [', { command: 'status' })
    assert.equal(broken.outputs.status, 'degraded', broken.log)
    const [warning, ...more] = annotations(broken, 'warning')
    assert.match(
      warning ?? '',
      /^stack\.yml:1: .*the manifest is not used, so a secret that it reads from a file may show/,
    )
    assert.deepEqual(more, [])
    assert.deepEqual(states(broken), ['none converged', 'web failed'])
  })

  test('what is no failure and should be known is warned of, at its line where there is a manifest', async (t) => {
    const made = stack(t, 'nowhere')
    const nowhere = [
      'services:',
      '  agent:',
      '    image: tb/ok:1',
      '    deploy: { mode: global, placement: { constraints: [node.labels.gpu == yes] } }',
      '',
    ].join('\n')
    const deployed = await made.deploy(nowhere, { wait: 'false' })
    assert.equal(deployed.outputs.status, 'deployed', deployed.log)
    const warning = /agent runs nowhere: no node is available to it \(its constraints are node\.labels\.gpu/
    const byName = await statusOf(made.name)
    assert.deepEqual([byName.code, byName.outputs.status], [0, 'healthy'], byName.log)
    assert.match(annotations(byName, 'warning').join('\n'), warning)
    const [told] = annotations(await made.deploy(nowhere, { command: 'status' }), 'warning')
    assert.match(told ?? '', warning)
    assert.match(told ?? '', /^stack\.yml:2: /)
  })
})
