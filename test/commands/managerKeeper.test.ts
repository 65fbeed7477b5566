import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Outage } from '../../src/commands/context.ts'
import { managerKeeper } from '../../src/commands/managerKeeper.ts'
import type { Manager } from '../../src/commands/openManager.ts'
import { EngineError } from '../../src/engine/engine.ts'
import type { Line } from '../../src/engine/line.ts'
import { DeployError } from '../../src/errors.ts'

const good = {
  Name: 'm',
  ServerVersion: '28',
  Swarm: { LocalNodeState: 'active', ControlAvailable: true, Cluster: {} },
}
const leaderless = { ...good, Swarm: { ...good.Swarm, Cluster: null, Error: 'The swarm does not have a leader' } }
const lost = new EngineError('connection', 0, 'Lost the engine while trying to ask: it closed', {
  cause: new Error('the SSH connection to ssh://a@one was lost: it closed'),
})
const passing = new EngineError('passing', 500, 'The engine could not ask (HTTP 500): no leader')
const refused = new DeployError('connection', 'Could not connect to one:22: refused.', { remedy: 'Check the port.' })
const wrongKey = new DeployError('host-key', 'The host key of one is not the pinned one.', { remedy: 'Compare.' })

/** A manager whose `info` is this; an error where its line is broken. */
function managerOf(info: object): Manager & { closed: boolean } {
  const line: Line = {
    apiVersion: '1.51',
    speaks: async () => true,
    call: async () => {
      if (info instanceof Error) throw info
      return Buffer.from(JSON.stringify(info))
    },
  }
  return {
    line,
    info: good as unknown as Manager['info'],
    asked: [0, 0],
    description: 'ssh://a@one, unix socket /s',
    closed: false,
    async close() {
      this.closed = true
    },
  }
}

/** A keeper of a first manager; `ways` are what opening an endpoint comes to, one after the other. */
function keeperOf(first: Manager, ways: readonly (Manager | Error | 'hang')[], count = 1) {
  const left = [...ways]
  const lines: string[] = []
  const opened: number[] = []
  const pauses: number[] = []
  const seen: { outage: Outage | undefined; used: number } = { outage: undefined, used: 0 }
  const cancelled = new AbortController()
  const keeper = managerKeeper(
    { index: 0, manager: first },
    {
      count,
      nameOf: (index) => ['ssh://a@one', 'ssh://a@two', 'ssh://a@three'][index] ?? '',
      async open(index, signal) {
        opened.push(index)
        const way = left.shift()
        if (way instanceof Error) throw way
        if (way !== 'hang' && way !== undefined) return way
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
      log: (line) => lines.push(line),
      onOutage: (outage) => {
        seen.outage = outage
      },
      onManager: ({ index }) => {
        seen.used = index
      },
      cancelled: cancelled.signal,
      pause: async (ms) => {
        pauses.push(ms)
        await turn()
      },
    },
  )
  return { keeper, lines, opened, pauses, seen, cancelled }
}

test('a broken line is replaced: one line in the log when it is lost, and one when it is back', async () => {
  const [first, second] = [managerOf(lost), managerOf(good)]
  const { keeper, lines, opened, pauses, seen } = keeperOf(first, [refused, refused, second])
  keeper.doubt(first.line, lost)
  keeper.doubt(first.line, lost)
  assert.equal(await keeper.live(undefined), second.line)
  assert.deepEqual([opened, pauses, first.closed, seen.outage], [[0, 0, 0], [500, 1000], true, undefined])
  assert.equal(lines.length, 2)
  assert.match(
    lines[0] ?? '',
    /^The connection to ssh:\/\/a@one was lost at [\d:]{8} UTC \(it closed\); connecting again$/,
  )
  assert.match(lines[1] ?? '', /^Connected again, after \d s: manager m, over ssh:\/\/a@one, unix socket \/s$/)
  // What is said of a line that is not used any more is no news.
  keeper.doubt(first.line, lost)
  assert.equal(await keeper.live(undefined), second.line)
})

test('the same endpoint is tried first, then the others; the one used from then on is told', async () => {
  const [first, third, again] = [managerOf(lost), managerOf(lost), managerOf(good)]
  const { keeper, opened, seen } = keeperOf(first, [refused, wrongKey, third, refused, again], 3)
  keeper.doubt(first.line, lost)
  assert.equal(await keeper.live(undefined), third.line)
  assert.equal(seen.used, 2)
  keeper.doubt(third.line, lost)
  assert.equal(await keeper.live(undefined), again.line)
  assert.deepEqual([opened, seen.used], [[0, 1, 2, 2, 0], 0])
})

test('a line that proves good is kept', async () => {
  const first = managerOf(good)
  const { keeper, lines, seen } = keeperOf(first, [])
  keeper.doubt(first.line)
  assert.equal(await keeper.live(undefined), first.line)
  keeper.doubt(first.line, lost)
  assert.equal(await keeper.live(undefined), first.line)
  assert.match(seen.outage?.message ?? '', /^Since [\d:]{8} UTC the manager could not be asked: Lost the engine/)
  keeper.trust(first.line)
  assert.deepEqual([lines, seen.outage], [[], undefined])
  // Where there is no room for the question, nothing is known against it.
  const full = managerOf(
    new EngineError('connection', 0, 'full', { cause: Object.assign(new Error('full'), { code: 'EMFILE' }) }),
  )
  const busy = keeperOf(full, [])
  busy.keeper.doubt(full.line)
  assert.equal(await busy.keeper.live(undefined), full.line)
})

test('a manager without a leader is waited for where it is the only one, and left where there are others', async () => {
  const [alone, first, second] = [managerOf(leaderless), managerOf(leaderless), managerOf(good)]
  const one = keeperOf(alone, [])
  one.keeper.doubt(alone.line, passing)
  one.keeper.doubt(alone.line, passing)
  assert.equal(await one.keeper.live(undefined), alone.line)
  assert.deepEqual(one.lines, ['The engine could not ask (HTTP 500): no leader; trying again'])
  assert.equal(one.seen.outage?.code, 'engine')

  const many = keeperOf(first, [leaderlessAgain(), second], 2)
  many.keeper.doubt(first.line, passing)
  assert.equal(await many.keeper.live(undefined), second.line)
  assert.equal(many.seen.used, 1)
})

function leaderlessAgain(): DeployError {
  return new DeployError('not-a-manager', 'the engine on m is a manager, but its swarm has no leader')
}

test('a wrong host key or a refused login ends it, with its code and remedy', async () => {
  const first = managerOf(lost)
  const { keeper, seen } = keeperOf(first, [refused, wrongKey])
  keeper.doubt(first.line, lost)
  await assert.rejects(keeper.live(undefined), { kind: 'connection', isFinal: true, isUnsent: true })
  await assert.rejects(keeper.live(undefined), { isFinal: true })
  assert.equal(seen.outage?.code, 'host-key')
  assert.equal(seen.outage?.remedy, 'Compare.')
  assert.match(
    seen.outage?.message ?? '',
    /^The connection to ssh:\/\/a@one was lost at [\d:]{8} UTC \(it closed\) and could not be rebuilt: The host key of one is not the pinned one\.$/,
  )
})

test('whoever waits waits no longer than the signal, and hears since when, and why it is not back', async () => {
  const first = managerOf(lost)
  const { keeper, seen } = keeperOf(first, [refused, 'hang'])
  keeper.doubt(first.line, lost)
  const controller = new AbortController()
  const waiting = keeper.live(controller.signal)
  while (!seen.outage?.message.includes('refused')) await turn()
  controller.abort(new Error('the time is up'))
  await assert.rejects(waiting, {
    isFinal: true,
    message: /lost at [\d:]{8} UTC \(it closed\) and could not be rebuilt: Could not connect to one:22: refused\.$/,
  })
  assert.equal(seen.outage?.remedy, 'Check the port.')
  await keeper.close()
})

test('a cancelled run, and one that closes, wait for nothing', async () => {
  const first = managerOf(lost)
  const { keeper, cancelled } = keeperOf(first, ['hang'])
  keeper.doubt(first.line, lost)
  const waiting = keeper.live(undefined)
  cancelled.abort(new Error('cancelled'))
  await assert.rejects(waiting, { message: 'cancelled' })
  await assert.rejects(keeper.live(undefined), { message: 'cancelled' })
  // On a line that is good it still finds out what became of its last write.
  const healthy = managerOf(good)
  const stopped = keeperOf(healthy, [])
  stopped.cancelled.abort(new Error('cancelled'))
  assert.equal(await stopped.keeper.live(undefined), healthy.line)
  stopped.keeper.doubt(healthy.line, lost)
  await assert.rejects(stopped.keeper.live(undefined), { message: 'cancelled' })
  const other = keeperOf(managerOf(good), [])
  await other.keeper.close()
  await assert.rejects(other.keeper.live(undefined), { message: 'the connection is closed' })
})
