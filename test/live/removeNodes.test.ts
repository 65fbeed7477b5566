// `command: remove` on a swarm of two: what is on the other node can be waited for, and its volumes can't be reached.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBed } from '../support/bed.mjs'
import { engineCall } from '../support/engineCall.mjs'
import { annotations, liveStacks } from '../support/liveStack.ts'

const bed = await startBed({ name: `remove-${process.pid}`, withWorker: true })
after(() => bed.stop())
const stack = liveStacks(bed, 'rmn')

async function volumesOf(socket: string): Promise<readonly string[]> {
  const { json } = await engineCall(socket, 'GET', '/volumes')
  return ((json as { readonly Volumes: readonly { readonly Name: string }[] | null }).Volumes ?? []).map(
    ({ Name }) => Name,
  )
}

test('a task on another node is named with it, and the volumes there are left with the command that removes them', async (t) => {
  const { worker } = bed
  assert.ok(worker)
  const { name, deploy } = stack(t, 'two')
  const manifest = `services:
  here:
    image: tb/ok:1
    stop_grace_period: 1s
    volumes: ["here:/data"]
    deploy: { placement: { constraints: [node.role == manager] } }
  there:
    image: tb/stubborn:1
    stop_grace_period: 600s
    volumes: ["there:/data"]
    deploy: { placement: { constraints: [node.role == worker] } }
volumes: { here: {}, there: {} }
`
  const deployed = await deploy(manifest, { monitor: '1s' })
  assert.equal(deployed.code, 0, deployed.log)
  const removal = { command: 'remove', 'remove-volumes': 'true' }

  const late = await deploy(manifest, { ...removal, timeout: '15s' })
  assert.equal(late.outputs.status, 'timed-out', late.log)
  assert.match(late.outputs['failure-message'] ?? '', new RegExp(`left: task ${name}_there\\.1 on worker`))
  assert.ok((await volumesOf(bed.socket)).includes(`${name}_here`), 'volumes go only after the tasks')

  const { json } = await engineCall(worker.socket, 'GET', '/containers/json')
  for (const { Id } of json as readonly { readonly Id: string }[])
    await engineCall(worker.socket, 'POST', `/containers/${Id}/kill`)
  const removed = await deploy(manifest, removal)
  assert.equal(removed.outputs.status, 'removed', removed.log)
  assert.deepEqual(
    [
      (await volumesOf(bed.socket)).includes(`${name}_here`),
      (await volumesOf(worker.socket)).includes(`${name}_there`),
    ],
    [false, true],
  )
  const [warning, ...more] = annotations(removed, 'warning')
  assert.deepEqual(more, [])
  assert.match(warning ?? '', /looked for on manager alone; worker can't be reached/)

  // By this label that node's volumes are found.
  const [, command = ''] = /docker volume ls (-q .*) \| xargs -r docker volume rm/.exec(warning ?? '') ?? []
  assert.equal(command, `-q --filter label=com.docker.stack.namespace=${name}`)
})
