// Three managers, each a host of its own; the leader, over which the run goes, dies while the stack converges.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { startBed } from '../support/bed.mjs'
import { reach, servicesOf } from '../support/liveStack.ts'
import { type RunningAction, startAction } from '../support/runner.mjs'

const manifest = `services:
  web:
    image: tb/ok:1
    stop_grace_period: 1s
    deploy: { replicas: 2, placement: { constraints: [node.hostname != manager] } }
`

test('the leader dies during the watch: over it or over another manager, the run goes on and converges', async (t) => {
  const bed = await startBed({ name: `leader-${process.pid}`, managers: 3 })
  t.after(() => bed.stop())
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'leader-'))
  t.after(() => fs.rmSync(workspace, { recursive: true }))
  fs.writeFileSync(path.join(workspace, 'stack.yml'), manifest)
  const hosts = [bed, ...(bed.otherManagers ?? [])].map(({ user, host }) => `ssh://${user}@${host}`)
  assert.equal(hosts.length, 3)

  const start = (name: string, host: string): RunningAction =>
    startAction({
      workspace,
      inputs: {
        ...reach(bed),
        host,
        'stack-name': name,
        'resolve-image': 'never',
        monitor: '8s',
        'connect-timeout': '5s',
        timeout: '3m',
      },
    })
  const [first = '', second = '', third = ''] = hosts
  const over = { all: start('all', hosts.join('\n')), second: start('second', second) }
  await Promise.all(Object.values(over).map((action) => action.untilLine('Wait until it runs')))
  // The whole machine: sshd, the sessions, dockerd and what it runs.
  await bed.shell(['sh', '-c', 'kill -9 -1'])

  const all = await over.all.done
  assert.deepEqual([all.code, all.outputs.status], [0, 'converged'], all.log)
  assert.match(all.outputs.manager ?? '', /^[23] manager-[23]$/)
  assert.ok(all.log.includes(`The connection to ${first} was lost at`), all.log)
  const [, where = ''] =
    /Connected again, after \d+ s: manager manager-[23], over (\S+), unix socket/.exec(all.log) ?? []
  assert.ok(where === second || where === third, all.log)
  assert.deepEqual(
    servicesOf(all).map(({ running, desired }) => [running, desired]),
    [[2, 2]],
  )

  // Without a leader for a while, a manager that lives is asked again until there is one.
  const alone = await over.second.done
  assert.deepEqual([alone.code, alone.outputs.status], [0, 'converged'], alone.log)
  assert.equal(alone.outputs.manager, '1 manager-2')
})
