// What becomes of a deployment whose nodes are drained, paused or lost while it is waited for. One after the other: nodes are the swarm's.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Node, NodeAvailability } from '../../src/swarm/node.ts'
import { startBed } from '../support/bed.mjs'
import { engineCall } from '../support/engineCall.mjs'
import { annotations, liveStacks, servicesOf } from '../support/liveStack.ts'
import type { ActionResult } from '../support/runner.mjs'
import { until } from '../support/until.ts'

const bed = await startBed({ name: `nodes-${process.pid}`, withWorker: true })
after(() => bed.stop())
const stack = liveStacks(bed, 'nodes')
const { worker } = bed

async function nodeOf(hostname: string): Promise<Node> {
  const { json } = await engineCall(bed.socket, 'GET', '/nodes')
  const found = (json as readonly Node[]).find(({ Description }) => Description.Hostname === hostname)
  return found ?? assert.fail(`no node ${hostname}`)
}

async function make(hostname: string, availability: NodeAvailability): Promise<void> {
  const { ID, Version, Spec } = await nodeOf(hostname)
  await engineCall(bed.socket, 'POST', `/nodes/${ID}/update?version=${Version?.Index}`, {
    ...Spec,
    Availability: availability,
  })
}

async function isolateWorker(how: '-I' | '-D'): Promise<void> {
  const { code, stderr } = await bed.shell(['iptables', how, 'INPUT', '-s', worker?.host ?? '', '-j', 'DROP'])
  assert.equal(code, 0, stderr)
}

/** `[running, desired]` of each service. */
function counts(result: ActionResult): readonly (readonly [number, number])[] {
  return servicesOf(result).map(({ running, desired }) => [running, desired])
}

const two = `services:
  web: { image: tb/ok:1, stop_grace_period: 1s, deploy: { replicas: 2, placement: { max_replicas_per_node: 2 } } }
`
const everywhere = (image: string): string =>
  `services:\n  agent: { image: '${image}', stop_grace_period: 1s, deploy: { mode: global, update_config: { order: stop-first } } }\n`

before(async () => {
  assert.ok(worker, 'a bed of two')
  await until('the worker is ready', async () => (await nodeOf('worker')).Status.State === 'ready')
})

test('a node that is drained during the wait: its tasks move, and only then the service has converged', async (t) => {
  const { start, running } = stack(t, 'drained')
  const action = start(two, { monitor: '8s', timeout: '2m' })
  await action.untilLine('2/2 running, watched for')
  await make('worker', 'drain')
  t.after(() => make('worker', 'active'))
  const result = await action.done
  const endedAt = Date.now()
  assert.equal(result.outputs.status, 'converged', result.log)
  assert.deepEqual(counts(result), [[2, 2]])
  const manager = (await nodeOf('manager')).ID
  assert.deepEqual(
    (await running()).map(({ NodeID }) => NodeID),
    [manager, manager],
    result.log,
  )
  // The window began anew with the task that replaced the drained one.
  const newest = Math.max(...(await running()).map(({ Status }) => Date.parse(Status.Timestamp)))
  assert.ok(endedAt - newest >= 7500, `${endedAt - newest} ms\n${result.log}`)
})

test('a node that is drained, and no other one is fit: it fails and says why', async (t) => {
  const { deploy } = stack(t, 'unfit')
  await make('worker', 'drain')
  t.after(() => make('worker', 'active'))
  const text = 'services:\n  web: { image: tb/ok:1, deploy: { placement: { constraints: [node.role == worker] } } }\n'
  const result = await deploy(text, { timeout: '3m' })
  assert.deepEqual(
    [result.outputs.status, result.outputs['failure-reason']],
    ['failed', 'no-suitable-node'],
    result.log,
  )
  assert.match(result.outputs['failure-message'] ?? '', /no suitable node .*its constraints are node\.role == ?worker/)
  assert.match(result.log, /docker node update --availability active/)
  assert.ok(result.durationMs < 90_000, `${result.durationMs} ms`)
})

test('a node that is paused during the wait keeps what it runs, and is not waited for with what is new', async (t) => {
  const { deploy, start } = stack(t, 'paused')
  const first = await deploy(everywhere('tb/ok:1'), { monitor: '1s' })
  assert.deepEqual([first.outputs.status, ...counts(first)], ['converged', [2, 2]], first.log)
  await make('worker', 'pause')
  t.after(() => make('worker', 'active'))
  const kept = await deploy(everywhere('tb/ok:1'))
  assert.deepEqual([kept.outputs.status, ...counts(kept)], ['unchanged', [2, 2]], kept.log)
  const action = start(everywhere('tb/ok:2'), { timeout: '2m' })
  const result = await action.done
  assert.deepEqual([result.outputs.status, ...counts(result)], ['converged', [1, 1]], result.log)
  assert.match(annotations(result, 'warning').join('\n'), /worker/)
})

test('a node that is lost during the wait: a global service is not waited for there, and replicas move', async (t) => {
  const { start, running } = stack(t, 'lost')
  const action = start(`${everywhere('tb/ok:1')}${two.replace('services:\n', '')}`, { monitor: '45s', timeout: '4m' })
  await action.untilLine('agent: 2/2 running, watched for')
  await action.untilLine('web: 2/2 running, watched for')
  await isolateWorker('-I')
  t.after(async () => {
    await isolateWorker('-D')
    await until('the worker is ready', async () => (await nodeOf('worker')).Status.State === 'ready')
  })
  const result = await action.done
  assert.equal(result.outputs.status, 'converged', result.log)
  assert.equal((await nodeOf('worker')).Status.State, 'down')
  assert.deepEqual(counts(result), [
    [1, 1],
    [2, 2],
  ])
  const manager = (await nodeOf('manager')).ID
  const there = (await running()).filter(({ NodeID }) => NodeID === manager)
  assert.equal(there.length, 3, result.log)

  // And what is deployed while the node is down takes no notice of it.
  const again = await stack(t, 'without').deploy(everywhere('tb/ok:2'), { monitor: '1s', timeout: '2m' })
  assert.deepEqual([again.outputs.status, ...counts(again)], ['converged', [1, 1]], again.log)
})

test('a task that waits for what an older one holds through a long grace period is waited for', async (t) => {
  const { deploy } = stack(t, 'held')
  const version = (image: string, grace: string) => `services:
  web:
    image: ${image}
    stop_grace_period: ${grace}
    ports: [{ target: 8080, published: 18981, mode: host }]
    deploy: { placement: { constraints: [node.role == manager] } }
`
  await deploy(version('tb/stubborn:1', '36s'), { monitor: '1s', timeout: '2m' })
  const result = await deploy(version('tb/ok:1', '1s'), { monitor: '1s', timeout: '3m' })
  assert.equal(result.outputs.status, 'converged', result.log)
  assert.ok(result.durationMs > 36_000, `${result.durationMs} ms`)
})

test('a node that cannot take its task of a global service fails it, though Swarm words that differently', async (t) => {
  const { deploy } = stack(t, 'both')
  const service = (name: string) =>
    `  ${name}: { image: tb/ok:1, stop_grace_period: 1s, ports: [{ target: 8080, published: 18982, mode: host }], deploy: { mode: global } }\n`
  await deploy(`services:\n${service('first')}`, { monitor: '1s', timeout: '2m' })
  const result = await deploy(`services:\n${service('first')}${service('second')}`, { monitor: '1s', timeout: '3m' })
  assert.deepEqual(
    [result.outputs.status, result.outputs['failure-reason']],
    ['failed', 'no-suitable-node'],
    result.log,
  )
  assert.match(
    result.outputs['failure-message'] ?? '',
    /second on \w+ cannot be put there: host-mode port already in use on 1 node; .*host port 18982/,
  )
})

test("more replicas than nodes may take: it fails with Swarm's reason and the numbers", async (t) => {
  const { deploy } = stack(t, 'many')
  const text = `services:
  web: { image: tb/ok:1, stop_grace_period: 1s, deploy: { replicas: 3, placement: { max_replicas_per_node: 1 } } }
`
  const result = await deploy(text, { timeout: '3m' })
  assert.deepEqual(
    [result.outputs.status, result.outputs['failure-reason']],
    ['failed', 'no-suitable-node'],
    result.log,
  )
  assert.deepEqual(counts(result), [[2, 3]])
  assert.match(
    result.outputs['failure-message'] ?? '',
    /max replicas per node limit exceed.*3 tasks are wanted, at most 1 on a node/,
  )
  assert.ok(result.durationMs < 120_000, `${result.durationMs} ms`)
})
