import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { type Engine, EngineError } from '../../src/engine/engine.ts'
import { managerClock } from '../../src/engine/managerClock.ts'
import { openTunnel } from '../../src/tunnel/openTunnel.ts'
import type { Tunnel } from '../../src/tunnel/tunnel.ts'
import { type Bed, startBed } from '../support/bed.mjs'
import { engineContract, type OpenedEngine } from '../support/engineContract.ts'

let bed: Bed
let tunnel: Tunnel
let engine: Engine
before(async () => {
  bed = await startBed({ name: `live-engine-${process.pid}` })
  tunnel = await tunnelTo(bed)
  engine = openEngine(tunnel.agent)
})
after(async () => {
  await tunnel.close()
  await bed.stop()
})

async function tunnelTo({ host, sshPort, user, keyFile, knownHostsFile }: Bed): Promise<Tunnel> {
  return openTunnel({
    endpoint: { kind: 'ssh', user, host, port: sshPort, dockerSocket: '/var/run/docker.sock' },
    ssh: { key: fs.readFileSync(keyFile, 'utf8'), knownHostsFile, fingerprints: [], hostKeyCheck: 'strict' },
    connectTimeoutMs: 10_000,
    warn: assert.fail,
  })
}

engineContract('a real engine over SSH', async () => opened(await tunnelTo(bed)))

engineContract('a real engine over its unix socket', async () =>
  opened(
    await openTunnel({
      endpoint: { kind: 'unix', path: bed.socket },
      connectTimeoutMs: 10_000,
      warn: assert.fail,
    }),
  ),
)

function opened({ agent, close }: Tunnel): OpenedEngine {
  return { engine: openEngine(agent), close }
}

async function logOf(script: string, tty: boolean): Promise<readonly (readonly string[])[]> {
  const { id } = await engine.createService({
    Name: `log_${tty}`,
    TaskTemplate: {
      ContainerSpec: { Image: 'tb/ok:1', Command: ['sh', '-c', script], TTY: tty },
      RestartPolicy: { Condition: 'none' },
    },
  })
  try {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(100)) {
      const [task] = await engine.listTasks({ service: [id] })
      if (task?.Status.State !== 'complete') continue
      return (await engine.taskLogs(task.ID, 4)).map(({ stream, text, timestamp }) => {
        assert.match(timestamp, /^\d{4}-\d\d-\d\dT.*Z$/)
        return [stream, text]
      })
    }
    return []
  } finally {
    await engine.removeService(id)
  }
}

test("a task's log comes back by stream and line, the last lines only, CR taken as a line end", async () => {
  const script = 'echo one; echo two; printf "50%%\\r100%%\\r\\n"; echo; sleep 0.2; echo last >&2'
  assert.deepEqual(await logOf(script, false), [
    ['stdout', '50%'],
    ['stdout', '100%'],
    ['stdout', ''],
    ['stderr', 'last'],
  ])
})

test('the log of a task with a terminal', async () => {
  const script = 'echo one; printf "50%%\\r100%%\\n"; sleep 0.2; echo last >&2'
  assert.deepEqual(await logOf(script, true), [
    ['stdout', 'one'],
    ['stdout', '50%'],
    ['stdout', '100%'],
    ['stdout', 'last'],
  ])
})

test('the log of a task that is not there', async () => {
  await assert.rejects(engine.taskLogs('absent', 5), { name: 'EngineError', kind: 'not-found' })
})

test("the manager's clock is the one that stamps its objects", async () => {
  const asked = Date.now()
  const info = await engine.info()
  const now = managerClock(info, asked, Date.now())
  const id = await engine.createConfig({ Name: 'clock', Data: 'eA==' })
  const created = Date.parse((await engine.inspectConfig(id)).CreatedAt)
  await engine.removeConfig(id)
  assert.ok(Math.abs(now() - created) < 2_000, `${now()} and ${created}`)
})

test('a registry that cannot be had is said in its own words', async () => {
  await assert.rejects(engine.inspectDistribution('registry.invalid/app:1'), (error) => {
    assert.ok(error instanceof EngineError)
    assert.match(
      error.message,
      /^The engine could not look up image registry\.invalid\/app:1 \(HTTP 500\): .*registry\.invalid/,
    )
    return true
  })
})

test('thirty calls at once go over few channels, and all are answered', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => engine.listServices()))
  assert.equal(answers.length, 30)
  const { stdout } = await bed.shell(['sh', '-c', 'cat /proc/net/unix | grep -c docker.sock'])
  assert.ok(Number(stdout) < 30, stdout)
})
