import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../src/engine/engine.ts'
import { DeployError } from '../../src/errors.ts'
import type { Snapshot } from '../../src/health/verdict.ts'
import { firstLook } from '../../src/rollout/firstLook.ts'

const snapshot: Snapshot = { now: 0, services: [], tasks: [], nodes: [] }
const none = new AbortController().signal

/** Reads that fail with these errors one after the other, and then succeed. */
function failing(errors: readonly Error[]) {
  let reads = 0
  return () => {
    const error = errors[reads++]
    return error === undefined ? Promise.resolve(snapshot) : Promise.reject(error)
  }
}

test('passing errors are waited out and said', async () => {
  const [slept, troubles]: [number[], string[]] = [[], []]
  const look = await firstLook({
    read: failing([new EngineError('passing', 503, 'no leader'), new EngineError('connection', 0, 'refused')]),
    sleep: async (ms) => void slept.push(ms),
    signal: none,
    onTrouble: ({ message }) => troubles.push(message),
  })
  assert.equal(look, snapshot)
  assert.deepEqual(slept, [1000, 1000])
  assert.deepEqual(troubles, ['no leader', 'refused'])
})

test('a look that does not show yet what was written is taken again, but not for ever', async () => {
  const looks = async (wholeAt: number): Promise<number> => {
    let reads = 0
    const read = async () => ++reads
    const isWhole = (look: number) => look >= wholeAt
    return firstLook({ read, sleep: async () => {}, signal: none, onTrouble: () => {}, isWhole })
  }
  assert.deepEqual([await looks(1), await looks(3), await looks(99)], [1, 3, 4])
})

test('a refusal, and a connection that nothing rebuilds, end it', async () => {
  const options = { sleep: async () => {}, signal: none, onTrouble: () => {} }
  const refusal = new EngineError('refused', 500, 'this node is not a swarm manager')
  await assert.rejects(firstLook({ ...options, read: failing([refusal]) }), refusal)
  const lost = new EngineError('connection', 0, 'gone', { cause: Object.assign(new Error('gone'), { final: true }) })
  await assert.rejects(firstLook({ ...options, read: failing([lost]) }), (error) => {
    assert.ok(error instanceof DeployError)
    assert.deepEqual([error.code, error.cause], ['connection', lost])
    return true
  })
})

test('it ends with the signal, during a read and between two', async () => {
  const during = new AbortController()
  const read = () => {
    during.abort(new Error('cancelled'))
    return Promise.reject(new EngineError('connection', 0, 'aborted'))
  }
  const options = { sleep: async () => {}, onTrouble: () => {} }
  await assert.rejects(firstLook({ ...options, read, signal: during.signal }), { message: 'cancelled' })

  const between = new AbortController()
  const sleep = async (): Promise<void> => {
    between.abort(new Error('cancelled'))
    throw new Error('woken')
  }
  const down = () => Promise.reject(new EngineError('connection', 0, 'down'))
  await assert.rejects(firstLook({ ...options, read: down, sleep, signal: between.signal }), { message: 'cancelled' })
})
