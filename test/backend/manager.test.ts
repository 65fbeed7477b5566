import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { requireManager } from '../../src/backend/manager.ts'
import { DeployError } from '../../src/errors.ts'
import type { Info } from '../../src/swarm/info.ts'
import { aNode, infoOf } from '../support/memoryValues.ts'

const manager: Info = infoOf([aNode('node-a')], 0).Swarm

test('a manager with quorum passes', () => {
  requireManager({ Name: 'node-a', ServerVersion: '28.5.2', Swarm: manager })
})

describe('anything else is refused, with its own remedy', () => {
  const worker = { ControlAvailable: false, Cluster: null }
  const cases: readonly (readonly [what: string, parts: Partial<Info>, message: RegExp, remedy: RegExp])[] = [
    ['no swarm', { LocalNodeState: 'inactive', ...worker }, /node-a is not part of a swarm/, /docker swarm init/],
    ['locked', { LocalNodeState: 'locked', ...worker }, /locked swarm/, /docker swarm unlock/],
    ['joining', { LocalNodeState: 'pending', ...worker }, /still joining/, /docker node ls/],
    ['broken', { LocalNodeState: 'error', Error: 'certificate expired', ...worker }, /certificate expired/, /dockerd/],
    [
      'a worker',
      { ...worker, RemoteManagers: [{ NodeID: 'm', Addr: '10.0.0.1:2377' }] },
      /is a worker/,
      /It knows 10\.0\.0\.1 as a manager/,
    ],
    ['a worker that knows nobody', { ...worker, RemoteManagers: null }, /is a worker/, /Let "host" name a manager\.$/],
    [
      'without a leader',
      { Error: 'rpc error: code = Unknown desc = The swarm does not have a leader.', Cluster: null },
      /has no leader: The swarm/,
      /More than half/,
    ],
    ['without a cluster', { Cluster: null }, /has no leader/, /More than half/],
  ]
  for (const [what, parts, message, remedy] of cases) {
    test(what, () => {
      assert.throws(
        () => requireManager({ Name: 'node-a', ServerVersion: '28.5.2', Swarm: { ...manager, ...parts } }),
        (error) => {
          assert.ok(error instanceof DeployError)
          assert.equal(error.code, 'not-a-manager')
          assert.match(error.message, message)
          assert.match(error.remedy ?? '', remedy)
          return true
        },
      )
    })
  }
})

test('what says nothing of a swarm is no manager', () => {
  for (const Swarm of [undefined, null]) {
    assert.throws(() => requireManager({ Name: 'podman', ServerVersion: '5.0', Swarm } as never), {
      code: 'not-a-manager',
      message: /podman says nothing of a swarm/,
    })
  }
})
