// What cannot converge fails early, with the reason, at the manifest's line; and stays a failure until it is mended.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { engineCall } from '../support/engineCall.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, type LiveStack, liveStacks, servicesOf } from '../support/liveStack.ts'
import type { ActionResult } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'fail')

/** A stack of one service. */
const one = (key: string, image: string, ...more: readonly string[]): string =>
  ['services:', `  ${key}:`, `    image: ${image}`, '    stop_grace_period: 1s', ...more, ''].join('\n')

/** On a busy machine a container may take seconds to end, and count as running until then. */
const patient = { monitor: '60s' }

/** When Swarm first showed that something is wrong, in ms, and how many tasks have failed since. */
async function firstSign({ services, tasks }: LiveStack): Promise<{ readonly at: number; readonly failed: number }> {
  // A job's tasks outlive their service.
  const ids = (await services()).map(({ ID }) => ID)
  const bad = (await tasks())
    .filter(({ ServiceID }) => ids.includes(ServiceID))
    .filter(({ Status: { State: state, Err: error = '' } }) =>
      state === 'pending' ? error !== '' : state === 'failed' || state === 'rejected',
    )
  return { at: Math.min(...bad.map(({ Status }) => Date.parse(Status.Timestamp))), failed: bad.length }
}

function assertFailed(result: ActionResult, service: string, reason: string, words: RegExp): void {
  assert.equal(result.code, 1, result.log)
  const { status, 'failure-message': message = '' } = result.outputs
  const { 'failed-service': failedService, 'failure-reason': failureReason } = result.outputs
  assert.deepEqual([status, failedService, failureReason], ['failed', service, reason], result.log)
  assert.match(message, words)
  assert.ok(message.length <= 500)
}

describe('a failure', { concurrency: 3 }, () => {
  test('each failure is told soon after its first sign or after 3 failed tasks, by its name and in the words of Swarm', async (t) => {
    const cases = [
      { key: 'crash', image: 'tb/crash:1', code: 'crash-loop', words: /task: non-zero exit \(3\)/, line: 3, more: [] },
      {
        key: 'image',
        image: 'tb/nosuch:1',
        code: 'image-pull',
        words: /No such image: tb\/nosuch:1/,
        line: 3,
        more: [],
      },
      {
        key: 'sick',
        image: 'tb/sick:1',
        code: 'unhealthy',
        words: /task: non-zero exit \(\d+\): dockerexec: unhealthy container/,
        line: 5,
        more: ['    healthcheck: { interval: 700ms, test: "echo sick; exit 1", retries: 1 }'],
      },
      {
        key: 'nowhere',
        image: 'tb/ok:1',
        code: 'no-suitable-node',
        words: /no suitable node \(scheduling constraints not satisfied on 1 node\).*node\.labels\.disk==none/,
        line: 6,
        more: ['    deploy:', '      placement: { constraints: [node.labels.disk==none] }'],
      },
      {
        key: 'mount',
        image: 'tb/ok:1',
        code: 'mount',
        words: /bind source path does not exist: \/no\/such/,
        line: 5,
        more: ['    volumes: [/no/such:/x]', '    deploy: { restart_policy: { delay: 300ms } }'],
      },
      {
        key: 'greedy',
        image: 'tb/ok:1',
        code: 'out-of-memory',
        words: /exit code 137: task: non-zero exit \(137\).*; the kernel killed it for want of memory/,
        line: 7,
        more: [
          '    command: [sh, -c, "x=a; while :; do x=$$x$$x; done"]',
          '    deploy:',
          '      resources: { limits: { memory: 8M } }',
          '      restart_policy: { condition: none }',
        ],
      },
      {
        key: 'batch',
        image: 'tb/crash:1',
        code: 'exited',
        words: /batch\.\d failed on \S+ with exit code 3: task: non-zero exit \(3\); Swarm does not start it again/,
        line: 3,
        more: ['    deploy: { mode: replicated-job, restart_policy: { condition: none } }'],
      },
      {
        key: 'port',
        image: 'tb/ok:1',
        code: 'port-in-use',
        words: /port is already allocated/,
        line: 5,
        more: ['    ports: [{ target: 8080, published: 18971, mode: host }]'],
      },
    ]
    // Not one of Swarm's, so that its scheduler knows nothing of the port.
    await engineCall(bed.socket, 'POST', '/containers/create?name=fail-holder', {
      Image: 'tb/ok:1',
      HostConfig: { PortBindings: { '8080/tcp': [{ HostPort: '18971' }] } },
    })
    t.after(() => engineCall(bed.socket, 'DELETE', '/containers/fail-holder?force=true'))
    await engineCall(bed.socket, 'POST', '/containers/fail-holder/start')
    await Promise.all(
      cases.map(async ({ key, image, code, words, line, more }) => {
        const made = stack(t, key)
        const result = await made.deploy(one(key, image, ...more), { ...patient, 'log-lines': '5' })
        const ended = Date.now()
        const sign = await firstSign(made)
        assertFailed(result, key, code, words)
        const took = ended - sign.at
        assert.ok(took < 60_000 || sign.failed >= 3, `${key} was told ${took} ms after its first sign`)
        assert.equal(result.outputs.changed, 'true')
        const [service] = servicesOf(result)
        assert.deepEqual([service?.state, service?.running], ['failed', 0])
        assert.match(service?.reason ?? '', words)
        const [error, ...others] = annotations(result, 'error')
        assert.deepEqual(others, [])
        assert.match(error ?? '', new RegExp(`^stack\\.yml:${line}: `))
        assert.match(error ?? '', words)
        assert.match(result.summary, new RegExp(`❌ failed: ${code}`))
        if (key === 'crash') {
          assert.match(result.log, /\| boom$/m)
          assert.doesNotMatch(JSON.stringify(result.outputs), /boom/)
        }
        if (key === 'sick') {
          assert.match(result.log, /its health check failed \d+ times in a row, last with exit code 1:\n *> sick$/m)
          assert.match(result.summary, /```text\nsick\n```/)
          assert.doesNotMatch(JSON.stringify(result.outputs), /sick\\n/)
        }
        if (key === 'greedy') assert.match(result.log, /may use 8 MiB of memory/)
      }),
    )
  })

  test('a failed deployment fails again when it is run again, and converges once the manifest is mended', async (t) => {
    const { deploy, name } = stack(t, 'again')
    const crash = one('web', 'tb/crash:1', '    deploy: { restart_policy: { delay: 1s } }')
    const words = /task: non-zero exit \(3\)/
    assertFailed(await deploy(crash, patient), 'web', 'crash-loop', words)
    const again = await deploy(crash, patient)
    assertFailed(again, 'web', 'crash-loop', words)
    assert.deepEqual(changesOf(again), [])
    const mended = await deploy(one('web', 'tb/ok:1'), { monitor: '1s' })
    assert.equal(mended.outputs.status, 'converged', mended.log)
    assert.deepEqual(changesOf(mended), [`update service ${name}_web`])
  })

  test('a healthy service beside a broken one is told as converged, and the broken one by its name', async (t) => {
    const worker =
      '  worker:\n    image: tb/crash:1\n    deploy: { restart_policy: { delay: 1s }, update_config: { monitor: 60s } }\n'
    const both = one('web', 'tb/ok:1') + worker
    const result = await stack(t, 'both').deploy(both)
    assertFailed(result, 'worker', 'crash-loop', /worker\.1 failed 3 times/)
    assert.deepEqual(
      servicesOf(result).map(({ name, state }) => [name, state]),
      [
        ['web', 'converged'],
        ['worker', 'failed'],
      ],
    )
  })

  test('a service whose attempts are used up is started again by the next run', async (t) => {
    const { deploy, name, tasks } = stack(t, 'once')
    const once = one('setup', 'tb/crash:1', '    deploy: { restart_policy: { condition: none } }')
    assertFailed(await deploy(once), 'setup', 'exited', /exit code 3: task: non-zero exit \(3\)/)
    const [first] = await tasks()
    const again = await deploy(once)
    // For Swarm this is an update by now, which it pauses.
    assertFailed(again, 'setup', 'paused', /task: non-zero exit \(3\)/)
    assert.deepEqual(changesOf(again), [`retry service ${name}_setup`])
    assert.ok((await tasks()).some(({ ID }) => ID !== first?.ID))
  })

  test('a service that someone scales during the wait has not converged, not even to none', async (t) => {
    const { name, start, services } = stack(t, 'scale')
    const action = start(one('web', 'tb/ok:1', '    deploy: { replicas: 2 }'), { monitor: '60s' })
    await action.untilLine(/web: 2\/2 running, watched/)
    const [service] = await services()
    assert.ok(service)
    const scaled = { ...service.Spec, Mode: { Replicated: { Replicas: 0 } } }
    const { Version, ID } = service
    await engineCall(bed.socket, 'POST', `/services/${ID}/update?version=${Version.Index}`, scaled)
    const result = await action.done
    assertFailed(result, 'web', 'conflict', /scaled the service from 2 to 0 meanwhile, while the manifest says 2/)
    assert.equal(servicesOf(result)[0]?.desired, 2, name)
  })

  test('when the time is up, it is said what is pending and why', async (t) => {
    const slow = one('slow', 'tb/slow:1', "    environment: { START_DELAY: '300' }")
    const result = await stack(t, 'late').deploy(`${slow}  web: { image: tb/ok:1, deploy: { replicas: 0 } }\n`, {
      timeout: '10s',
      monitor: '1s',
    })
    assert.equal(result.code, 1)
    assert.equal(result.outputs.status, 'timed-out', result.log)
    assert.equal(result.outputs['failure-reason'], 'timeout')
    assert.equal(result.outputs['failed-service'], 'slow')
    assert.match(
      result.outputs['failure-message'] ?? '',
      /1 of 2 services had converged: slow: 0\/1 running; slow\.1 (?:starting|preparing) on manager(?: \(\D+\))? for \d+ s/,
    )
    assert.deepEqual(
      servicesOf(result).map(({ name, state }) => [name, state]),
      [
        ['slow', 'progressing'],
        ['web', 'converged'],
      ],
    )
    assert.ok(result.durationMs < 60_000, `it took ${result.durationMs} ms`)
  })
})
