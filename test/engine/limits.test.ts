import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseApiVersion } from '../../src/engine/apiVersion.ts'
import { createLimiter } from '../../src/engine/limiter.ts'
import { managerClock } from '../../src/engine/managerClock.ts'

test('the API version spoken is the older one of both, and one too old is refused', () => {
  for (const [offered, chosen] of [
    ['1.41', '1.41'],
    ['1.45', '1.45'],
    ['1.51', '1.51'],
    ['1.52', '1.51'],
    ['2.0', '1.51'],
  ] as const) {
    assert.equal(chooseApiVersion(offered), chosen)
  }
  assert.throws(() => chooseApiVersion('1.40'), {
    name: 'EngineError',
    kind: 'refused',
    message: /API 1\.40.*1\.41 \(Docker 20\.10\)/,
  })
  assert.throws(() => chooseApiVersion('1.9'), { message: /API 1\.9/ })
  for (const none of [undefined, '', 'soup'])
    assert.throws(() => chooseApiVersion(none), { message: /no Docker engine/ })
})

test('a limiter runs so many at once, in order, whatever becomes of them, and shrinks to what runs', async () => {
  const limiter = createLimiter(3)
  let running = 0
  let most = 0
  const order: number[] = []
  const task = (index: number) => async () => {
    order.push(index)
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running -= 1
    if (index % 2 === 0) throw new Error('no')
  }
  await Promise.allSettled(Array.from({ length: 10 }, (_, index) => limiter.run(task(index))))
  assert.equal(most, 3)
  assert.deepEqual(order, [...Array(10).keys()])
  limiter.shrink()
  most = 0
  await Promise.allSettled(Array.from({ length: 5 }, (_, index) => limiter.run(task(index))))
  assert.equal(most, 1)
})

const info = {
  Name: 'm',
  ServerVersion: '28',
  Swarm: {
    NodeID: '',
    NodeAddr: '',
    RemoteManagers: null,
    LocalNodeState: 'active',
    ControlAvailable: true,
    Error: '',
  },
} as const

test('the manager’s clock goes on from where the answer set it', () => {
  let now = 1_000_000
  const clock = managerClock({ ...info, SystemTime: '2026-11-29T16:00:00.123456789Z' }, now - 40, now + 40, () => now)
  assert.equal(clock(), Date.parse('2026-11-29T16:00:00.123Z'))
  now += 2_500
  assert.equal(clock(), Date.parse('2026-11-29T16:00:02.623Z'))
})

test('without a time from the engine our own clock has to do', () => {
  assert.equal(managerClock(info, 1, 2, () => 42)(), 42)
})
