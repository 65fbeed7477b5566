// A node that refuses to attach a container to its network.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveBed } from '../support/liveBed.ts'
import { annotations, liveStacks, servicesOf } from '../support/liveStack.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'attachment')

/** A network's id in the VXLANs of its nodes, and an interface that has it already. */
const VNI = '5077'
const FOREIGN = 'foreign5077'

test('a network that a node cannot attach to is a failure named after it, told as the node says it', async (t) => {
  const added = await bed.shell([
    'ip',
    'link',
    'add',
    FOREIGN,
    'type',
    'vxlan',
    'id',
    VNI,
    'dstport',
    '4789',
    'dev',
    'eth0',
  ])
  assert.equal(added.code, 0, added.stderr)
  t.after(() => bed.shell(['ip', 'link', 'del', FOREIGN]))
  const { deploy } = stack(t, 'refused')
  const result = await deploy(`services:
  web:
    image: tb/ok:1
    networks: [back]
    deploy: { restart_policy: { delay: 300ms } }
networks:
  back:
    driver_opts: { com.docker.network.driver.overlay.vxlanid_list: '${VNI}' }
`)
  assert.deepEqual([result.code, result.outputs.status], [1, 'failed'], result.log)
  const { 'failure-reason': reason, 'failed-service': service, 'failure-message': message = '' } = result.outputs
  assert.deepEqual([reason, service], ['network', 'web'], result.log)
  assert.match(
    message,
    /web\.1 was rejected \d times, last on \S+: network sandbox join failed: .*vxlan interface: file exists/,
  )
  assert.match(result.log, /→ .*ip -d link show type vxlan/)
  assert.deepEqual(
    servicesOf(result).map(({ running, state }) => [running, state]),
    [[0, 'failed']],
  )
  const [told, ...others] = annotations(result, 'error')
  assert.match(told ?? '', /^stack\.yml:4: /)
  assert.deepEqual(others, [])
})
