// Connections that break, against real sshd and a real engine. test/long/faults.ts does the same at random, for as long as one likes;
// test/live/reconnectManagers.test.ts has several managers.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { inParallel } from '../../src/backend/inParallel.ts'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { type Bed, startBed } from '../support/bed.mjs'
import { type Fault, openFaultProxy } from '../support/faultProxy.ts'
import { type FaultyCase, faultyRuns } from '../support/faultyRun.ts'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, liveStacks, reach, throughRelay } from '../support/liveStack.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'again')
const manifest = 'services:\n  web: { image: tb/ok:1, stop_grace_period: 1s }\n'

/** Inputs that lead through a proxy, which breaks the connections in turn. */
async function throughProxy(t: TestContext, to: Bed, faults: readonly Fault[] = []) {
  const target = { host: to.host, port: to.sshPort }
  const proxy = await openFaultProxy(target, faults)
  t.after(() => proxy.close())
  const [line = ''] = (reach(to)['known-hosts'] ?? '').split('\n')
  const inputs = {
    host: `ssh://${to.user}@127.0.0.1:${proxy.port}`,
    'known-hosts': line.replace(/^\S+/, `[127.0.0.1]:${proxy.port}`),
    'ssh-key': reach(to)['ssh-key'] ?? '',
  }
  return { target, proxy, inputs }
}

const fault = (kind: Fault['kind'], direction: Fault['direction'], at: number): Fault => ({
  kind,
  direction,
  after: at,
})
const faults: readonly (readonly Fault[])[] = [
  // Before the first success: refused.
  [fault('cut', 'down', 0)],
  [fault('corrupt', 'down', 1073)],
  [fault('cut', 'up', 1500)],
  // Reading, in the middle of writes, and while connecting again.
  [fault('cut', 'down', 7000)],
  [fault('cut', 'up', 4000), fault('cut', 'down', 10), fault('cut', 'up', 900)],
  [fault('cut', 'down', 15_000), fault('corrupt', 'up', 700), fault('cut', 'down', 2100)],
  [fault('corrupt', 'down', 12_000)],
  [fault('corrupt', 'up', 6000), fault('cut', 'up', 2500), fault('cut', 'down', 9000)],
  [fault('slow', 'down', 17_000)],
  // During the watch.
  [fault('cut', 'up', 9000), fault('cut', 'down', 12_000)],
  [fault('corrupt', 'down', 40_000)],
  [fault('stall', 'down', 18_000)],
]

describe('a connection that breaks', { concurrency: true }, () => {
  test('anywhere: the run converges or says why not, and the swarm is as after a clean one', async (t) => {
    const tunnel = await openUnixTunnel(bed.socket, AbortSignal.timeout(10_000))
    t.after(() => tunnel.close())
    const run = await faultyRuns(t, bed, openEngine(tunnel.agent), 'broken')
    const cases = faults.map((list, number): FaultyCase => {
      const name = list.map(({ kind, direction, after: at }) => `${kind} ${direction} at ${at}`).join(', ')
      return { number, isUpdate: number % 3 === 2, faults: list, name }
    })
    await inParallel(cases, 6, async (one) => {
      const { first, again } = await run(one)
      assert.equal(again, one.number < 3, `${one.name}\n${first.log}`)
    })
  })

  test('tells when it is lost, and when it is back; nothing is written twice', async (t) => {
    const { name, start, services } = stack(t, 'told')
    const { proxy, inputs } = await throughProxy(t, bed)
    const action = start(manifest, { ...inputs, monitor: '3s' })
    await action.untilLine('Wait until it runs')
    proxy.cut()
    const result = await action.done
    assert.equal(result.outputs.status, 'converged', result.log)
    assert.equal(result.log.match(/was lost at \d\d:\d\d:\d\d UTC \(.+\); connecting again/g)?.length, 1, result.log)
    assert.match(result.log, /Connected again, after \d+ s: manager manager, over ssh:\/\/\S+, unix socket/)
    assert.equal(result.outputs.manager, '1 manager')
    assert.deepEqual(changesOf(result), [`create network ${name}_default`, `create service ${name}_web`])
    assert.ok((await services()).every(({ PreviousSpec }) => PreviousSpec === undefined))
    assert.equal(proxy.passed.length, 2)
  })

  test('for good: the time ends it, and the message says since when and why', async (t) => {
    const { start } = stack(t, 'late')
    const { proxy, inputs } = await throughProxy(t, bed)
    const action = start(manifest, { ...inputs, timeout: '8s', monitor: '6s' })
    await action.untilLine('Wait until it runs')
    proxy.close()
    const result = await action.done
    assert.deepEqual([result.outputs.status, result.outputs['failure-reason']], ['timed-out', 'connection'], result.log)
    const said =
      /The connection to ssh:\/\/\S+ was lost at \d\d:\d\d:\d\d UTC \(.+\) and could not be rebuilt: Could not connect to \S+:\d+: the connection was refused/
    assert.match(result.outputs['failure-message'] ?? '', said)
    const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/connection.md'), 'utf8')
    assert.match(page.replaceAll(/\s+/g, ' '), said)
    assert.ok(result.durationMs < 25_000, `${result.durationMs} ms`)
  })

  test('for good, and the run is cancelled: it ends within 7 s', async (t) => {
    const { name, start } = stack(t, 'cancelled')
    const { proxy, inputs } = await throughProxy(t, bed)
    const action = start(manifest, { ...inputs, monitor: '60s' })
    await action.untilLine('Wait until it runs')
    proxy.close()
    await action.untilLine('connecting again')
    const at = performance.now()
    const result = await action.cancel()
    assert.ok(performance.now() - at < 7000, result.log)
    assert.equal(result.outputs.status, 'cancelled', result.log)
    assert.match(result.log, new RegExp(`Applied: .*service ${name}_web`))
  })

  // Without SSH calls go over several connections: one of them may be dead while the others are well.
  for (const after of [4500, 9000, 20_000]) {
    test(`in silence, without SSH, after ${after} bytes, is noticed too`, async (t) => {
      const { start } = stack(t, `silent-${after}`)
      const proxy = await openFaultProxy({ path: bed.socket }, [fault('stall', 'down', after)])
      t.after(() => proxy.close())
      const action = start(manifest, { host: `tcp://127.0.0.1:${proxy.port}`, monitor: '20s', timeout: '3m' })
      const { outputs, log } = await action.done
      assert.equal(outputs.status, 'converged', log)
    })
  }

  test('in silence, over SSH, is noticed within 30 s', async (t) => {
    const { start } = stack(t, 'silent')
    const { relay, inputs } = await throughRelay(t, bed)
    const action = start(manifest, { ...inputs, monitor: '50s', timeout: '3m' })
    await action.untilLine('Wait until it runs')
    relay.hold()
    const silentSince = Date.now()
    await action.untilLine('connecting again')
    const noticed = Date.now() - silentSince
    relay.release()
    const { outputs, log } = await action.done
    assert.equal(outputs.status, 'converged', log)
    // 24 s of three unanswered questions, and what a busy machine is late.
    assert.ok(noticed < 30_000, `${noticed} ms`)
  })
})

describe('a manager', { concurrency: true }, () => {
  let own: Bed
  before(async () => {
    own = await startBed({ name: `restart-${process.pid}` })
  })
  after(() => own.stop())

  test('whose engine restarts is waited for; one that shows another host key is not gone on with', async (t) => {
    const mine = liveStacks(own, 'restart')(t, 'web')
    const { target, proxy, inputs } = await throughProxy(t, own)
    const action = mine.start(manifest, { ...inputs, monitor: '12s', timeout: '3m' })
    await action.untilLine('watched for')
    const restarted = await own.shell(['bash', '-c', RESTART])
    assert.equal(restarted.code, 0, restarted.stderr)
    const result = await action.done
    assert.equal(result.outputs.status, 'converged', result.log)
    assert.match(result.log, /Connected again/)

    const { code, stderr } = await own.shell(['bash', '-c', OTHER_SSHD])
    assert.equal(code, 0, stderr)
    const second = mine.start(manifest.replace('1s', '2s'), { ...inputs, monitor: '30s' })
    await second.untilLine('Wait until it runs')
    target.port = 2222
    proxy.cut()
    const refused = await second.done
    assert.deepEqual([refused.outputs.status, refused.outputs['failure-reason']], ['failed', 'host-key'], refused.log)
    assert.match(
      refused.outputs['failure-message'] ?? '',
      /was lost at .* could not be rebuilt: The host key of .* is not the pinned one/,
    )
    assert.match(annotations(refused, 'error').join('\n'), /Compare first/)
  })
})

/** Ends the engine as systemd does, and starts it as bedNode.sh did. */
const RESTART = `set -e
pid=$(cat /run/docker.pid)
mapfile -d '' -t command </proc/$pid/cmdline
kill $pid
while kill -0 $pid 2>/dev/null; do sleep 0.1; done
sleep 2
setsid "\${command[@]}" </dev/null >/run/again.log 2>&1 &`

const OTHER_SSHD = `set -e
ssh-keygen -q -t ed25519 -N '' -f /etc/bed/other_host
{ echo 'Port 2222'; echo 'HostKey /etc/bed/other_host'; grep -vE '^(Port|HostKey) ' /etc/bed/sshd_config; } >/etc/bed/sshd_other
"$(command -v sshd || echo /usr/sbin/sshd)" -f /etc/bed/sshd_other -E /etc/bed/sshd_other.log`
