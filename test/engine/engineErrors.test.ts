import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineErrorKind } from '../../src/engine/engine.ts'
import { lostCall, refusedCall } from '../../src/engine/engineErrors.ts'

const rows: readonly (readonly [status: number, text: string, kind: EngineErrorKind])[] = [
  [404, 'service web not found', 'not-found'],
  [404, 'network nope not found', 'not-found'],
  [500, 'rpc error: code = Unknown desc = update out of sequence', 'version-conflict'],
  [409, 'update out of sequence', 'version-conflict'],
  [
    409,
    'rpc error: code = AlreadyExists desc = name conflicts with an existing object: service web already exists',
    'already-exists',
  ],
  [409, 'network with name web already exists', 'already-exists'],
  [409, 'volume is in use - [abc]', 'refused'],
  [403, 'error while removing network: network web id abc has active endpoints', 'refused'],
  [500, 'Head "https://r.example.com/v2/a/manifests/1": no basic auth credentials', 'unauthorized'],
  [401, 'Unauthorized', 'unauthorized'],
  [403, 'error parsing HTTP 403 response body: denied: requested access to the resource is denied', 'unauthorized'],
  [500, 'rpc error: code = DeadlineExceeded desc = context deadline exceeded', 'passing'],
  [
    500,
    "rpc error: code = Unknown desc = The swarm does not have a leader. It's possible that too few managers are online.",
    'passing',
  ],
  [
    503,
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing dial tcp 10.0.0.2:2377: connect: connection refused"',
    'passing',
  ],
  [500, 'rpc error: code = Unknown desc = raft: failed to process the request: node lost leader status', 'passing'],
  [503, 'something is starting', 'passing'],
  [503, 'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join"', 'passing'],
  [503, 'This node is not a swarm manager. Worker nodes cannot be used to view or modify cluster state', 'refused'],
  [
    503,
    'Swarm is encrypted and needs to be unlocked before it can be used. Please use "docker swarm unlock"',
    'refused',
  ],
  [400, "rpc error: code = InvalidArgument desc = secret 's' is in use by the following service: web", 'refused'],
  [400, 'rpc error: code = InvalidArgument desc = only updates to Labels are allowed', 'refused'],
  [500, 'oops', 'refused'],
]

for (const [status, text, kind] of rows) {
  test(`${status} ${text.slice(0, 60)}: ${kind}`, () => {
    const error = refusedCall('update service web', status, JSON.stringify({ message: text }))
    assert.equal(error.kind, kind)
    assert.equal(error.status, status)
  })
}

test('the message names what was asked and keeps the daemon’s words whole, without gRPC noise', () => {
  const long = `a ${'very '.repeat(500)}long reason`
  const error = refusedCall(
    'create service web',
    400,
    JSON.stringify({ message: `rpc error: code = InvalidArgument desc = ${long}` }),
  )
  assert.equal(error.message, `The engine could not create service web (HTTP 400): ${long}`)
})

test('a body that is no JSON is the message, and an empty one is said to be', () => {
  assert.match(
    refusedCall('list services', 502, '<html>Bad Gateway</html>\n').message,
    /\(HTTP 502\): <html>Bad Gateway<\/html>$/,
  )
  assert.match(refusedCall('list services', 500, '').message, /without a word$/)
})

test('a lost call keeps its cause', () => {
  const cause = new Error('socket hang up')
  const error = lostCall('list services', cause)
  assert.equal(error.kind, 'connection')
  assert.equal(error.status, 0)
  assert.equal(error.message, 'Lost the engine while trying to list services: socket hang up')
  assert.equal(error.cause, cause)
})
