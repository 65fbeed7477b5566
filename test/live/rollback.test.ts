// Going back on a real swarm: what a failed deployment wrote is put back, and a release record is deployed again.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../src/swarm/secret.ts'
import type { Service } from '../../src/swarm/service.ts'
import { engineCall } from '../support/engineCall.mjs'
import { ownBed } from '../support/liveBed.ts'
import { annotations, type LiveStack, liveStacks, servicesOf } from '../support/liveStack.ts'
import { startRegistry } from '../support/registry.ts'
import type { ActionResult } from '../support/runner.mjs'

const bed = await ownBed('rollback')
const stack = liveStacks(bed, 'rollback')

const soon = { monitor: '3s', 'max-failures': '2' }
const undo = { ...soon, 'on-failure': 'rollback' }

function service(key: string, image: string, more = ''): string {
  return `  ${key}:\n    image: ${image}\n    stop_grace_period: 1s\n${more}`
}

const updates = (failureAction: string): string =>
  `    deploy: { update_config: { monitor: 2s, failure_action: ${failureAction} } }\n`

function ended(result: ActionResult, status: string): void {
  assert.equal(result.outputs.status, status, result.log)
}

/** `web tb/ok:1`, of each service. */
async function images({ services }: LiveStack): Promise<readonly string[]> {
  return (await services()).map(
    ({ Spec }) => `${Spec.Name?.split('_').at(-1)} ${Spec.TaskTemplate.ContainerSpec?.Image}`,
  )
}

/** `1 deployed`, by number. */
async function records(name: string): Promise<readonly string[]> {
  const filters = JSON.stringify({ label: [`com.swarmcli.release=${name}`] })
  const { json } = await engineCall(bed.socket, 'GET', `/configs?filters=${encodeURIComponent(filters)}`)
  const told = (json as Config[]).map(({ Spec: { Labels } }) => ({
    revision: Number(Labels?.['com.swarmcli.revision']),
    status: Labels?.['com.swarmcli.status'],
  }))
  return told.sort((a, b) => a.revision - b.revision).map(({ revision, status }) => `${revision} ${status}`)
}

describe('on-failure: rollback', { concurrency: 4 }, () => {
  test('puts back what the run touched, removes what is new, and tells the failure first', async (t) => {
    const live = stack(t, 'undo', { 'token.txt': 'first-content' })
    const secret = 'secrets:\n  token: { file: token.txt }\n'
    const before = `services:\n${service('web', 'tb/ok:1', '    secrets: [token]\n')}${service('api', 'tb/ok:1')}${secret}`
    ended(await live.deploy(before, soon), 'converged')
    const specs = async () => (await live.services()).map(({ Spec }) => Spec)
    const old = await specs()

    fs.writeFileSync(path.join(live.workspace, 'token.txt'), 'second-content')
    const after = `services:\n${service('web', 'tb/ok:2', '    secrets: [token]\n')}${service('api', 'tb/crash:1')}${service('extra', 'tb/ok:1')}${secret}`
    const result = await live.deploy(after, undo)
    ended(result, 'rolled-back')
    assert.equal(result.code, 1)
    assert.deepEqual(await specs(), old)
    assert.deepEqual((await live.running()).length, 2)
    const { outputs } = result
    assert.equal(outputs['failed-service'], 'api')
    assert.equal(outputs['failure-reason'], 'paused')
    assert.match(
      outputs['failure-message'] ?? '',
      /^service api: .*; put back as before: api, web; removed again: extra/,
    )
    assert.match(result.log, /Put back as before: api, web\nRemoved again, since new: extra/)
    assert.equal(servicesOf(result).find(({ name }) => name === 'api')?.state, 'failed')
    assert.ok(!servicesOf(result).some(({ name }) => name === 'extra'), 'it ran, and is gone')
    assert.equal(outputs.changed, 'true')
    assert.ok(Object.keys(await live.objects()).some((name) => /^secret rollback-undo_token-[0-9a-f]{8}$/.test(name)))
    assert.deepEqual(await records(live.name), ['1 deployed', '2 failed'])
    assert.match(result.summary, /Put back as before: api, web/)
    // By now that would be the way to what has failed.
    assert.doesNotMatch(result.log, /docker service rollback/)
    // As if nothing had been: the old manifest changes nothing, and is the newest record again.
    fs.writeFileSync(path.join(live.workspace, 'token.txt'), 'first-content')
    ended(await live.deploy(before, soon), 'unchanged')
    assert.deepEqual(await records(live.name), ['1 deployed', '2 failed', '3 deployed'])
  })

  for (const action of ['rollback', 'pause'] as const) {
    test(`goes with Swarm's own failure_action: ${action}`, async (t) => {
      const live = stack(t, action)
      const manifest = (image: string): string =>
        `services:\n${service('web', image, updates(action))}${service('api', image.replace('crash', 'ok'))}`
      ended(await live.deploy(manifest('tb/ok:1'), soon), 'converged')
      const result = await live.deploy(manifest('tb/crash:1').replace('tb/ok:1', 'tb/ok:2'), undo)
      ended(result, 'rolled-back')
      assert.equal(result.outputs['failed-service'], 'web')
      assert.equal(result.outputs['failure-reason'], action === 'pause' ? 'paused' : 'rolled-back')
      assert.deepEqual(await images(live), ['api tb/ok:1', 'web tb/ok:1'])
    })
  }

  test('a deployment that Swarm refuses half-way, and one that runs out of time', async (t) => {
    const live = stack(t, 'half')
    const port = '    ports: [{ target: 8080, published: 18491, mode: ingress }]\n'
    ended(
      await live.deploy(`services:\n${service('web', 'tb/ok:1')}${service('holder', 'tb/ok:1', port)}`, soon),
      'converged',
    )
    const refused = await live.deploy(
      `services:\n${service('web', 'tb/ok:2')}${service('worker', 'tb/ok:1', port)}`,
      undo,
    )
    ended(refused, 'rolled-back')
    assert.equal(refused.outputs['failure-reason'], 'port-in-use')
    assert.deepEqual(await images(live), ['holder tb/ok:1', 'web tb/ok:1'])
    assert.deepEqual(await records(live.name), ['1 deployed'])

    const late = await live.deploy(
      `services:\n${service('web', 'tb/slow:1', '    environment: { START_DELAY: "600" }\n')}`,
      {
        ...undo,
        timeout: '12s',
      },
    )
    ended(late, 'rolled-back')
    assert.equal(late.outputs['failure-reason'], 'timeout')
    assert.deepEqual(await images(live), ['holder tb/ok:1', 'web tb/ok:1'])
  })

  test('a job is not run again, and what did not run before makes the rollback fail', async (t) => {
    const live = stack(t, 'jobs')
    const once = '    deploy: { restart_policy: { condition: none } }\n'
    const manifest = (image: string, job: string): string =>
      `services:\n${service('web', image)}${service('migrate', 'tb/job:1', `    environment: { RUN: "${job}" }\n${once}`)}`
    ended(await live.deploy(manifest('tb/ok:1', '1'), soon), 'converged')
    const result = await live.deploy(manifest('tb/crash:1', '2'), undo)
    ended(result, 'rolled-back')
    assert.match(result.log, /Left as deployed: migrate \(it runs to completion/)
    const runs = (await live.tasks()).filter(({ Spec }) => Spec.ContainerSpec?.Env?.[0]?.startsWith('RUN='))
    assert.deepEqual(runs.map(({ Spec }) => Spec.ContainerSpec?.Env?.[0]).sort(), ['RUN=1', 'RUN=2'])

    ended(await live.deploy(manifest('tb/crash:1', '3'), soon), 'failed')
    const worse = await live.deploy(manifest('tb/sick:1', '3'), { ...undo, timeout: '15s' })
    ended(worse, 'rollback-failed')
    assert.ok(
      annotations(worse, 'error').some((text) =>
        /The rollback failed: what was put back does not run: service web/.test(text),
      ),
    )
    assert.deepEqual(await images(live), ['migrate tb/job:1', 'web tb/crash:1'])
  })

  test('brings the stored credential of before back', async (t) => {
    const password = 'a-Password/of+alice'
    const registry = await startRegistry(bed, 18521, { username: 'alice', password })
    t.after(() => registry.stop())
    const live = stack(t, 'login')
    await registry.push('tb/ok:1', 'undo/web:1')
    // No node has pulled it before the rollback is over.
    const idle = '    deploy: { replicas: 0 }\n'
    const manifest = (api: string, more = ''): string =>
      `services:\n${service('web', `${registry.address}/undo/web:1`, more + idle)}${service('api', api)}`
    const login = (word: string) => ({ 'registry-auth': `${registry.address} alice ${word}` })
    ended(await live.deploy(manifest('tb/ok:1'), { ...soon, ...login(password) }), 'converged')
    const worse = { ...undo, ...login('not-her-password') }
    ended(await live.deploy(manifest('tb/crash:1', '    command: ["false"]\n'), worse), 'rolled-back')
    await bed.shell(['docker', 'service', 'scale', '--detach', `${live.name}_web=1`])
    const until = Date.now() + 60_000
    for (;;) {
      const fresh = (await live.tasks()).filter(({ Spec }) => Spec.ContainerSpec?.Image?.startsWith(registry.address))
      if (fresh.some(({ Status }) => Status.State === 'running')) break
      const errors = fresh.map(({ Status }) => `${Status.State} ${Status.Err ?? ''}`)
      assert.ok(!errors.some((error) => error.startsWith('rejected')) && Date.now() < until, errors.join('\n'))
      await sleep(300)
    }
  })

  test('cancelled, a deployment undoes nothing and names the way back; a rollback says what is back', async (t) => {
    const live = stack(t, 'cancelled')
    const slow = (seconds: number): string => `    environment: { START_DELAY: "${seconds}" }\n`
    ended(await live.deploy(`services:\n${service('web', 'tb/slow:1', slow(3))}`, soon), 'converged')

    const waiting = live.start(`services:\n${service('web', 'tb/slow:1', slow(600))}`, undo)
    await waiting.untilLine('::group::Wait until it runs')
    const cancelled = await waiting.cancel()
    ended(cancelled, 'cancelled')
    assert.match(cancelled.log, /Nothing was rolled back/)
    assert.match(cancelled.log, /To put the stack back: `command: rollback` with `revision: 1`/)
    assert.deepEqual((await live.services())[0]?.Spec.TaskTemplate.ContainerSpec?.Env, ['START_DELAY=600'])
    ended(await live.rollback({ ...soon, revision: '1' }), 'converged')

    const failing = live.start(`services:\n${service('web', 'tb/crash:1')}${service('new', 'tb/ok:1')}`, undo)
    await failing.untilLine(/Putting back service/)
    const broken = await failing.cancel()
    ended(broken, 'cancelled')
    assert.match(broken.outputs['failure-message'] ?? '', /while putting back what was there before/)
    assert.match(broken.log, /^(Put back as before: web|Not put back yet, or unknown: web)$/m)
    assert.match(broken.log, /^Removed again, since new: new$/m)
  })

  test('leaves alone what someone else changed meanwhile, and says that it did', async (t) => {
    const live = stack(t, 'others')
    ended(await live.deploy(`services:\n${service('web', 'tb/ok:1')}${service('api', 'tb/ok:1')}`, soon), 'converged')
    const manifest = `services:\n${service('web', 'tb/slow:1', '    environment: { START_DELAY: "600" }\n')}${service('api', 'tb/ok:2')}`
    const running = live.start(manifest, { ...undo, timeout: '15s' })
    await running.untilLine('::group::Wait until it runs')
    await bed.shell(['docker', 'service', 'update', '--detach', '--label-add', 'theirs=1', `${live.name}_api`])
    const result = await running.done
    ended(result, 'rollback-failed')
    assert.match(result.log, /Put back as before: web\nNot put back: api \(someone else changed it meanwhile\)/)
    assert.ok(annotations(result, 'error').some((text) => /api is not back: someone else changed it/.test(text)))
    assert.deepEqual(await images(live), ['api tb/ok:2', 'web tb/ok:1'])
  })
})

describe('docs/rollback.md shows what happens', () => {
  const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/rollback.md'), 'utf8')
  const shown = (name: string): string => {
    const block = new RegExp(`\`\`\`text ${name}\\n([^]*?)\\n\`\`\``).exec(page)?.[1]
    return block ?? assert.fail(`docs/rollback.md shows no ${name}`)
  }
  /** Without what time and chance decide. */
  const steady = (text: string): string =>
    text
      .replace(/^ +\d+ s {2}.*\n/gm, '')
      .replace(/\d+(\.\d+)? (m?s|min)\b/g, 'N s')
      .replace(/task [a-z0-9]{25}/g, 'task ID')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'THEN')

  test('after a failure, and on demand', async (t) => {
    const live = stack(t, 'shown')
    ended(await live.deploy(`services:\n${service('web', 'tb/ok:1')}`, soon), 'converged')
    const failed = await live.deploy(`services:\n${service('web', 'tb/crash:1')}${service('worker', 'tb/ok:1')}`, undo)
    ended(failed, 'rolled-back')
    ended(await live.deploy(`services:\n${service('web', 'tb/ok:2')}`, soon), 'converged')
    const back = await live.rollback(soon)
    ended(back, 'converged')
    for (const [name, { log }] of Object.entries({ 'rolled-back': failed, rollback: back })) {
      const lines = steady(log.replaceAll(live.name, 'shop'))
      for (const line of steady(shown(name)).split('\n')) assert.ok(lines.includes(line), `${line}\n--\n${lines}`)
    }
  })
})

describe('command: rollback', { concurrency: 4 }, () => {
  test('goes back to the revision before, as a new one, with neither manifest nor the content of secrets', async (t) => {
    const live = stack(t, 'back', {
      'token.txt': 'first-content',
      'motd.txt': 'first motd',
      'other.yml': `services:\n  web: { environment: { COLOUR: "$\{COLOUR}" } }\n`,
    })
    const manifest = (image: string): string =>
      `services:\n${service('web', image, '    secrets: [token]\n    configs: [motd]\n')}secrets:\n  token: { file: token.txt }\nconfigs:\n  motd: { file: motd.txt }\n`
    const files = { manifest: 'stack.yml\nother.yml' }
    ended(await live.deploy(manifest('tb/ok:1'), { ...soon, ...files, variables: 'COLOUR=green' }), 'converged')
    const [before] = await live.services()
    fs.writeFileSync(path.join(live.workspace, 'token.txt'), 'second-content')
    fs.writeFileSync(path.join(live.workspace, 'motd.txt'), 'second motd')
    ended(await live.deploy(manifest('tb/ok:2'), { ...soon, ...files, variables: 'COLOUR=green' }), 'converged')
    ended(await live.deploy(manifest('tb/crash:1'), { ...soon, ...files, variables: 'COLOUR=green' }), 'failed')
    for (const file of fs.readdirSync(live.workspace)) fs.rmSync(path.join(live.workspace, file))

    const newest = await live.rollback({ ...soon, variables: 'COLOUR=green' })
    ended(newest, 'converged')
    assert.deepEqual([newest.outputs.revision, newest.outputs['previous-revision']], ['4', '3'])
    assert.deepEqual(await images(live), ['web tb/ok:2'])

    const first = await live.rollback({ ...soon, revision: '1', variables: 'COLOUR=green' })
    ended(first, 'converged')
    const [after] = await live.services()
    assert.deepEqual(meant(after), meant(before))
    assert.deepEqual(await records(live.name), ['1 deployed', '2 deployed', '3 failed', '4 deployed', '5 deployed'])

    // This run's variables count, also here; and a rollback that fails is undone like a deployment.
    const blue = await live.rollback({ ...soon, revision: '2', variables: 'COLOUR=blue' })
    ended(blue, 'converged')
    assert.ok((await live.services())[0]?.Spec.TaskTemplate.ContainerSpec?.Env?.includes('COLOUR=blue'))
    const undone = await live.rollback({ ...undo, revision: '3', variables: 'COLOUR=blue' })
    ended(undone, 'rolled-back')
    assert.deepEqual(await images(live), ['web tb/ok:2'])
    assert.equal((await records(live.name)).at(-1), '7 failed')
  })

  test('goes past a part that went well over a deployment that failed: of the services it left alone nobody knows', async (t) => {
    const live = stack(t, 'part')
    const manifest = (web: string, api: string): string => `services:\n${service('web', web)}${service('api', api)}`
    ended(await live.deploy(manifest('tb/ok:1', 'tb/ok:1'), soon), 'converged')
    ended(await live.deploy(manifest('tb/ok:1', 'tb/crash:1'), soon), 'failed')
    const part = await live.deploy(manifest('tb/ok:2', 'tb/crash:1'), { ...soon, services: 'web' })
    ended(part, 'converged')
    assert.match(part.log, /The release record is not called deployed: /)
    assert.deepEqual(await records(live.name), ['1 deployed', '2 failed', '3 pending-install'])
    const back = await live.rollback(soon)
    ended(back, 'converged')
    assert.match(back.log, /Going back to revision 1 /)
    assert.deepEqual((await images(live)).toSorted(), ['api tb/ok:1', 'web tb/ok:1'])
  })

  test('is refused before any write, with all the reasons', async (t) => {
    const live = stack(t, 'refused', { 'token.txt': 'some-content', 'web.env': 'A=b\n' })
    const manifest = (image: string): string =>
      `services:\n${service('web', image, `    env_file: web.env\n    environment: { COLOUR: "\${COLOUR}" }\n`)}secrets:\n  token: { file: token.txt }\n`
    const given = { ...soon, variables: 'COLOUR=green' }
    ended(await live.deploy(manifest('tb/ok:1'), given), 'converged')
    fs.writeFileSync(path.join(live.workspace, 'token.txt'), 'other-content')
    ended(await live.deploy(manifest('tb/ok:2'), given), 'converged')
    await engineCall(bed.socket, 'DELETE', `/secrets/${live.name}_token`)
    const objects = await live.objects()
    for (const file of fs.readdirSync(live.workspace)) fs.rmSync(path.join(live.workspace, file))

    const result = await live.rollback({}, { event: { repository: 'acme/other' } })
    ended(result, 'refused')
    const errors = annotations(result, 'error')
    for (const reason of [
      /belongs to gha\/acme\/shop/,
      /variable COLOUR, of which revision 1 had a value, is not set/,
      /^stack.yml:5: .*web.env.* does not exist/,
      new RegExp(`secret ${live.name}_token, which token was in revision 1, is no longer`),
    ]) {
      assert.ok(
        errors.some((text) => reason.test(text)),
        `${reason} is not in ${errors.join('\n')}`,
      )
    }
    for (const [inputs, reason] of [
      [{ revision: '9' }, /no revision 9 of .*: the swarm has 1 \(superseded\), 2 \(deployed\)/],
      [{ 'stack-name': 'rollback-none' }, /no release record of a stack rollback-none/],
    ] as const) {
      const refused = await live.rollback(inputs)
      ended(refused, 'refused')
      assert.match(refused.outputs['failure-message'] ?? '', reason)
    }
    assert.deepEqual(await live.objects(), objects)
  })

  test('after the generations that nothing refers to are pruned', async (t) => {
    const live = stack(t, 'pruned', { 'token.txt': 'content-1' })
    const manifest = (image: string): string =>
      `services:\n${service('web', image, '    secrets: [token]\n')}secrets:\n  token: { file: token.txt }\n`
    for (const [number, image] of ['tb/ok:1', 'tb/ok:2', 'tb/ok:1'].entries()) {
      fs.writeFileSync(path.join(live.workspace, 'token.txt'), `content-${number + 1}`)
      ended(await live.deploy(manifest(image), { ...soon, prune: 'true', history: '2' }), 'converged')
    }
    const secrets = Object.keys(await live.objects()).filter((name) => name.startsWith('secret '))
    assert.equal(secrets.length, 2, secrets.join(', '))
    ended(await live.rollback(soon), 'converged')
    assert.deepEqual(await images(live), ['web tb/ok:2'])
  })
})

/** What a spec says, but for our own labels. */
function meant(service: Service | undefined): unknown {
  const { Labels, ...spec } = service?.Spec ?? assert.fail('no service')
  return [spec, Object.entries(Labels ?? {}).filter(([label]) => !label.startsWith('com.swarm-stack-deploy.'))]
}
