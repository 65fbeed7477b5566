// Several managers of which the first ones are none: a real worker, and a real manager that has lost its quorum.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import { startBed } from '../support/bed.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, liveStacks, reach } from '../support/liveStack.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'managers')
const manifest = 'services:\n  web:\n    image: tb/ok:1\n    stop_grace_period: 1s\n'

test('a worker and a manager without quorum are passed over for one that can write', async (t) => {
  const pair = await startBed({ name: `quorum-${process.pid}`, withWorker: true })
  t.after(() => pair.stop())
  const { worker } = pair
  assert.ok(worker)
  const inPair = async (script: string): Promise<void> => {
    const { code, stderr } = await pair.shell(['sh', '-c', script])
    assert.equal(code, 0, stderr)
  }
  // One key has to open all of them.
  const own = await bed.shell(['sh', '-c', 'cat >> /etc/bed/authorized_keys'], {
    input: fs.readFileSync(`${pair.keyFile}.pub`, 'utf8'),
  })
  assert.equal(own.code, 0, own.stderr)
  const inputs = {
    'ssh-key': reach(pair)['ssh-key'] ?? '',
    'known-hosts': [bed, pair].map((one) => reach(one)['known-hosts']).join(''),
    wait: 'false',
  }
  const [good, manager, other] = [bed, pair, worker].map(({ user, host }) => `ssh://${user}@${host}`)

  const first = await stack(t, 'worker').deploy(manifest, { ...inputs, host: `ssh://deploy@${worker.host}\n${good}` })
  assert.equal(first.outputs.manager, '2 manager', first.log)
  assert.match(first.log, /Manager 1 of 2, \S+, is not used: the engine on worker is a worker/)
  assert.deepEqual(
    annotations(first, 'warning').filter((text) => text.includes('worker')),
    [],
  )

  const until = (what: string): Promise<void> =>
    inPair(`for _ in $(seq 90); do ${what} && exit 0; sleep 1; done; exit 1`)
  await inPair('docker node promote worker')
  await until('docker node ls | grep -q Reachable')
  await inPair(`iptables -A OUTPUT -d ${worker.host} -j DROP`)
  await until("docker info 2>&1 | grep -q 'does not have a leader'")
  const second = await stack(t, 'quorum').deploy(manifest, { ...inputs, host: `${manager}\n${other}\n${good}` })
  assert.equal(second.outputs.manager, '3 manager', second.log)
  assert.match(
    second.log,
    /Manager 1 of 3, \S+, is not used: the engine on manager is a manager, but its swarm has no leader/,
  )
})
