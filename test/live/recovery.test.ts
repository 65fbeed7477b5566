// After a deployment that broke off, and after a removal: the next run gets where one clean run would have got.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { liveBed } from '../support/liveBed.ts'
import { changesOf, liveStacks, reach } from '../support/liveStack.ts'
import { openRelay } from '../support/relay.ts'
import type { ActionResult } from '../support/runner.mjs'
import { stackState } from '../support/stackState.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'redo')
const tunnel = await openUnixTunnel(bed.socket, AbortSignal.timeout(10_000))
const engine = openEngine(tunnel.agent)
after(() => tunnel.close())
const files = { 'motd.txt': 'hello\n', 'token.txt': 'a-token\n' }

const service = (key: string, more = ''): string =>
  `  ${key}: { image: tb/ok:1, stop_grace_period: 1s, networks: [front], secrets: [token], configs: [motd]${more} }\n`
const shop = (services: readonly string[], network = ''): string =>
  `services:\n${services.join('')}networks:\n  front: {${network}}\nconfigs:\n  motd: { file: motd.txt }\nsecrets:\n  token: { file: token.txt }\n`

/** `Applied: network a, service b` of the end of the log. */
function listed({ log }: ActionResult, label: string): readonly string[] {
  return new RegExp(`^${label}: (.*)$`, 'm').exec(log)?.[1]?.split(', ') ?? []
}

/** Inputs for a way to the engine that breaks for good at the nth creation, which then has or has not reached the engine. */
async function cutAt(t: TestContext, nth: number, reaches: boolean): Promise<Readonly<Record<string, string>>> {
  const relay = await openRelay(t, { host: bed.host, port: bed.sshPort })
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'redo-'))
  fs.chmodSync(folder, 0o755)
  const socket = path.join(folder, 'docker.sock')
  let creations = 0
  const server = net.createServer((near) => {
    const far = net.connect(bed.socket)
    near.on('error', () => {}).on('close', () => far.destroy())
    far.on('error', () => {}).on('close', () => near.destroy())
    near.on('data', (chunk) => {
      if (/^POST \S+\/create /.test(chunk.toString('latin1'))) creations++
      if (creations >= nth) relay.cut()
      if (creations < nth || (creations === nth && reaches)) far.write(chunk)
    })
    far.on('data', (chunk) => near.write(chunk))
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  fs.chmodSync(socket, 0o666)
  t.after(() => {
    server.close()
    fs.rmSync(folder, { recursive: true })
  })
  const hostKey = (reach(bed)['known-hosts'] ?? '').split('\n')[0]?.replace(/^\S+/, `[127.0.0.1]:${relay.port}`) ?? ''
  return { host: `ssh://${bed.user}@127.0.0.1:${relay.port}`, 'known-hosts': hostKey, 'docker-socket': socket }
}

const withoutAction = (changes: readonly string[]): readonly string[] =>
  changes.map((change) => change.replace(/^\w+ /, '')).sort()

describe('a deployment', { concurrency: true }, () => {
  test('right after `docker stack rm` waits until the old network is gone', async (t) => {
    const { name, deploy, start, running } = stack(t, 'removed')
    // Its task ends only when the grace period is over, or when it is killed.
    const manifest = (grace: string): string => `services:\n  web: { image: tb/ok:1, stop_grace_period: ${grace} }\n`
    assert.equal((await deploy(manifest('5m'), { monitor: '1s' })).outputs.status, 'converged')
    const [old] = await running()
    assert.equal((await bed.shell(['docker', 'stack', 'rm', name])).code, 0)
    const action = start(manifest('1s'), { monitor: '1s' })
    await action.untilLine(`Network ${name}_default is still being removed`)
    const killed = await bed.shell(['docker', 'kill', old?.Status.ContainerStatus?.ContainerID ?? ''])
    assert.equal(killed.code, 0, killed.stderr)
    const again = await action.done
    assert.equal(again.outputs.status, 'converged', again.log)
    assert.deepEqual(changesOf(again), [`create network ${name}_default`, `create service ${name}_web`])
    const [task, ...more] = await running()
    assert.deepEqual(more, [])
    assert.ok(task && task.ID !== old?.ID)
  })

  test('whose connection broke at some write is finished by the next run', async (t) => {
    const services = Array.from({ length: 12 }, (_, n) => service(`s${n}`, ', deploy: { replicas: 0 }'))
    const clean = stack(t, 'clean', files)
    assert.equal((await clean.deploy(shop(services), { wait: 'false' })).outputs.status, 'deployed')
    const cases = [
      // The network, the secret, a service, and another one.
      { nth: 1, reaches: true },
      { nth: 2, reaches: false },
      { nth: 5, reaches: true },
      { nth: 8, reaches: false },
    ]
    await Promise.all(
      cases.map(async ({ nth, reaches }) => {
        const broken = stack(t, `broken-${nth}`, files)
        const cut = await broken.deploy(shop(services), {
          ...(await cutAt(t, nth, reaches)),
          wait: 'false',
          // So long it tries to get through again.
          timeout: '30s',
        })
        assert.deepEqual([cut.outputs.status, cut.outputs['failure-reason']], ['timed-out', 'connection'], cut.log)
        const [applied, open, unknown] = [
          listed(cut, 'Applied'),
          listed(cut, 'Not applied'),
          listed(cut, 'Unknown whether applied'),
        ]
        assert.equal(new Set([...applied, ...open, ...unknown]).size, 15, cut.log)
        assert.deepEqual(withoutAction(changesOf(cut)), [...applied, ...unknown].sort())
        const there = Object.keys(await broken.objects())
        for (const object of applied) assert.ok(there.includes(object), `${object} is called applied`)
        for (const object of open) assert.ok(!there.includes(object), `${object} is called not applied`)

        const again = await broken.deploy(shop(services), { wait: 'false' })
        assert.equal(again.outputs.status, 'deployed', again.log)
        const redone = withoutAction(changesOf(again))
        for (const object of applied) assert.ok(!redone.includes(object), `${object} is written once more`)
        for (const object of open) assert.ok(redone.includes(object), `${object} is missing`)
        assert.deepEqual(await stackState(engine, broken.name), await stackState(engine, clean.name))
      }),
    )
  })

  test('of which the engine refused a network, or a service, says what is there, and goes on once it is mended', async (t) => {
    const published = (port: number): string => `, ports: ['${port}:8080'], deploy: { replicas: 0 }`
    const idle = ', deploy: { replicas: 0 }'
    const wanted = (port: number): string =>
      shop([service('a', idle), service('b', published(port)), service('c', idle)])
    const taken = stack(t, 'port-taken', files)
    assert.equal((await taken.deploy(shop([service('web', published(18471))]))).outputs.status, 'converged')
    const made = stack(t, 'refused', files)

    const network = await made.deploy(shop([service('a')], ' driver: no-such-driver '))
    assert.deepEqual([network.outputs.status, network.outputs['failure-reason']], ['refused', 'engine'], network.log)
    assert.match(network.outputs['failure-message'] ?? '', /create network redo-refused_front.*no-such-driver/)
    assert.deepEqual([network.outputs.changes, network.outputs.changed], ['[]', 'false'])
    assert.deepEqual(await made.objects(), {})

    const refused = await made.deploy(wanted(18471))
    assert.deepEqual([refused.outputs.status, refused.outputs['failed-service']], ['failed', 'b'], refused.log)
    assert.match(refused.outputs['failure-message'] ?? '', /18471.*redo-port-taken_web/)
    const there = Object.keys(await made.objects()).sort()
    assert.deepEqual(withoutAction(changesOf(refused)), there)
    assert.deepEqual([...listed(refused, 'Applied')].sort(), there)
    assert.ok(listed(refused, 'Not applied').includes(`service ${made.name}_b`))
    assert.deepEqual(listed(refused, 'Unknown whether applied'), [])

    const mended = await made.deploy(wanted(18472))
    assert.equal(mended.outputs.status, 'converged', mended.log)
    const clean = stack(t, 'whole', files)
    assert.equal((await clean.deploy(wanted(18473))).outputs.status, 'converged')
    const state = JSON.stringify(await stackState(engine, clean.name)).replaceAll('18473', '18472')
    assert.deepEqual(await stackState(engine, made.name), JSON.parse(state))
  })
})
