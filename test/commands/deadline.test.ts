import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { mock, test } from 'node:test'
import { createDeadline } from '../../src/commands/deadline.ts'
import { listenForInterruption } from '../../src/commands/interruption.ts'

test('a deadline passes after its time, and starting it anew gives the whole time again', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const deadline = createDeadline(1000, () => Date.now())
  context.mock.timers.tick(900)
  assert.equal(deadline.remaining(), 100)
  deadline.restart()
  context.mock.timers.tick(900)
  assert.equal(deadline.passed, false)
  context.mock.timers.tick(100)
  assert.equal(deadline.passed, true)
  assert.equal(deadline.remaining(), 0)
})

test('a clock that is put right by an hour moves no deadline', async (context) => {
  const clock = Date.now
  context.after(() => {
    Date.now = clock
  })
  const [late, early] = [createDeadline(30), createDeadline(60_000)]
  context.after(() => early.clear())
  Date.now = () => clock() - 3_600_000
  await once(late.signal, 'abort')
  assert.equal(late.passed, true)
  Date.now = () => clock() + 3_600_000
  assert.ok(early.remaining() > 0)
})

test('a deadline of weeks does not pass at once', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const deadline = createDeadline(40 * 24 * 3_600_000, () => Date.now())
  context.mock.timers.tick(2 ** 31 - 1)
  assert.equal(deadline.passed, false)
  context.mock.timers.tick(40 * 24 * 3_600_000 - (2 ** 31 - 1))
  assert.equal(deadline.passed, true)
})

test('the first signal asks to stop, the second one ends the wait for that, the third one the process', async () => {
  const exit = mock.fn((_code?: number) => undefined as never)
  const emitter = Object.assign(new EventEmitter(), { exit })
  const interruption = listenForInterruption(emitter as never, 60_000)
  emitter.emit('SIGINT')
  assert.equal(interruption.signal.aborted, true)
  assert.equal(exit.mock.callCount(), 0)
  emitter.emit('SIGTERM')
  await interruption.graceOver
  assert.equal(exit.mock.callCount(), 0)
  emitter.emit('SIGINT')
  assert.deepEqual(exit.mock.calls[0]?.arguments, [130])
  interruption.dispose()
  assert.equal(emitter.listenerCount('SIGINT'), 0)
})
