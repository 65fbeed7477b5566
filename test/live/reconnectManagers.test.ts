// Three managers, each a host of its own; the leader, over which the run goes, dies while the stack converges.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { startBed } from '../support/bed.mjs'
import { reach, servicesOf } from '../support/liveStack.ts'
import { startAction } from '../support/runner.mjs'

const manifest = `services:
  web:
    image: tb/ok:1
    stop_grace_period: 1s
    deploy: { replicas: 2, placement: { constraints: [node.hostname != manager] } }
`

test('the leader dies during the watch: the run goes on over another manager and converges', async (t) => {
  const bed = await startBed({ name: `leader-${process.pid}`, managers: 3 })
  t.after(() => bed.stop())
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'leader-'))
  t.after(() => fs.rmSync(workspace, { recursive: true }))
  fs.writeFileSync(path.join(workspace, 'stack.yml'), manifest)
  const hosts = [bed, ...(bed.otherManagers ?? [])].map(({ user, host }) => `ssh://${user}@${host}`)
  assert.equal(hosts.length, 3)

  const action = startAction({
    workspace,
    inputs: {
      ...reach(bed),
      host: hosts.join('\n'),
      'stack-name': 'leader',
      'resolve-image': 'never',
      monitor: '8s',
      'connect-timeout': '5s',
      timeout: '3m',
    },
  })
  await action.untilLine('Wait until it runs')
  // The whole machine: sshd, the sessions, dockerd and what it runs.
  await bed.shell(['sh', '-c', 'kill -9 -1'])
  const { code, outputs, log } = await action.done
  assert.deepEqual([code, outputs.status], [0, 'converged'], log)
  assert.match(outputs.manager ?? '', /^[23] manager-[23]$/)
  const [, second = '', third = ''] = hosts
  assert.equal(log.match(/was lost at/g)?.length, 1, log)
  const back = /Connected again, after \d+ s: manager manager-[23], over (\S+), unix socket/.exec(log)
  assert.ok(back?.[1] === second || back?.[1] === third, log)
  const result = servicesOf({ outputs } as Parameters<typeof servicesOf>[0])
  assert.deepEqual(
    result.map(({ running, desired }) => [running, desired]),
    [[2, 2]],
  )
})
