import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../src/engine/engine.ts'
import { DeployError } from '../../src/errors.ts'
import type { Expectation, Snapshot, Verdict } from '../../src/health/verdict.ts'
import { type WatchOptions, type WatchResult, watch } from '../../src/rollout/watch.ts'
import type { Service } from '../../src/swarm/service.ts'
import type { Task, TaskState } from '../../src/swarm/task.ts'
import { fakeClock } from './fakeClock.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const stamp = (second: number) => new Date(START + second * 1000).toISOString()

/** `running 2` is a task that entered that state in second 2 (and was created then, by default). */
interface Life {
  readonly state: TaskState
  readonly since: number
  readonly error?: string
  readonly dead?: boolean
  readonly id?: string
}

/** What the swarm shows of each service in a given second. */
type World = (second: number) => Readonly<Record<string, readonly Life[]>>

function snapshotOf(world: World, now: number): Snapshot {
  const shown = world((now - START) / 1000)
  const services: Service[] = []
  const tasks: Task[] = []
  for (const [name, lives] of Object.entries(shown)) {
    const meta = { Version: { Index: 1 }, CreatedAt: stamp(0), UpdatedAt: stamp(0) }
    services.push({ ...meta, ID: name, Spec: { Name: name, TaskTemplate: {}, Mode: { Replicated: { Replicas: 1 } } } })
    lives.forEach(({ state, since, error, dead, id }, index) => {
      tasks.push({
        ...meta,
        CreatedAt: stamp(since),
        UpdatedAt: stamp(since),
        ID: id ?? `${name}-${index}`,
        Spec: {},
        ServiceID: name,
        Slot: 1,
        NodeID: 'n',
        DesiredState: dead ? 'shutdown' : 'running',
        Status: { Timestamp: stamp(since), State: state, ...(error === undefined ? {} : { Err: error }) },
      })
    })
  }
  return {
    now,
    services,
    tasks,
    upToDate: new Set(tasks.map((task) => task.ID)),
    nodes: [
      {
        ID: 'n',
        Version: { Index: 1 },
        CreatedAt: stamp(0),
        UpdatedAt: stamp(0),
        Spec: { Availability: 'active' },
        Description: { Hostname: 'node-a' },
        Status: { State: 'ready' },
      },
    ],
  }
}

function expect(name: string, changes: Partial<Expectation> = {}): Expectation {
  return { key: name, name, id: name, written: true, since: START, monitor: 5000, maxFailures: 3, ...changes }
}

async function run(
  world: World,
  options: Partial<WatchOptions> & { readonly names?: readonly string[]; readonly readTakes?: number } = {},
): Promise<{
  readonly result: WatchResult
  readonly seconds: number
  /** The seconds of the reads. */
  readonly reads: readonly number[]
  readonly said: readonly { readonly at: number; readonly changed: readonly Verdict[] }[]
}> {
  const clock = fakeClock(START)
  const reads: number[] = []
  const said: { at: number; changed: readonly Verdict[] }[] = []
  const seconds = () => (clock.now() - START) / 1000
  const result = await clock.run(
    watch({
      read: async () => {
        reads.push(seconds())
        if (options.readTakes !== undefined) await clock.sleep(options.readTakes)
        return snapshotOf(world, clock.now())
      },
      expectations: (options.names ?? ['web']).map((name) => expect(name)),
      now: clock.now,
      sleep: clock.sleep,
      deadline: START + 60_000,
      onVerdicts: (changed) => said.push({ at: seconds(), changed }),
      ...options,
    }),
  )
  return { result, seconds: seconds(), reads, said }
}

test('one look a second while something is pending, one for the end of the window', async () => {
  const { result, reads } = await run((second) => ({
    web: [second < 3 ? { state: 'starting', since: 0 } : { state: 'running', since: 2.5 }],
  }))
  assert.equal(result.kind, 'converged')
  assert.deepEqual(reads, [0, 1, 2, 3, 7.5])
})

test("a node's or a leader's clock that is seconds off moves no window", async () => {
  for (const off of [-20, 60]) {
    const { result, seconds } = await run((second) => ({
      web: [second < 3 ? { state: 'starting', since: off } : { state: 'running', since: off + 0.5 }],
    }))
    assert.deepEqual([result.kind, seconds], ['converged', 8], `${off} s`)
  }
})

test('a service that has failed before is looked at every second during its window, too', async () => {
  const { result, reads } = await run(() => ({
    web: [
      { state: 'failed', since: 0, dead: true, error: 'task: non-zero exit (1)', id: 'first' },
      { state: 'running', since: 0.5, id: 'second' },
    ],
  }))
  assert.equal(result.kind, 'converged')
  assert.deepEqual(reads, [0, 1, 2, 3, 4, 5, 6])
})

test('what has run long enough converges at the first look', async () => {
  const { result, reads } = await run(() => ({ web: [{ state: 'running', since: -60 }] }))
  assert.equal(result.kind, 'converged')
  assert.deepEqual(reads, [0])
})

test('all services are judged by the same looks, and wait for the last', async () => {
  const names = ['a', 'b', 'c']
  const { result, reads } = await run(
    () => ({
      a: [{ state: 'running', since: -2 }],
      b: [{ state: 'running', since: -60 }],
      c: [{ state: 'running', since: -0.5 }],
    }),
    { names },
  )
  assert.equal(result.kind, 'converged')
  assert.deepEqual(reads, [0, 4.5])
  assert.deepEqual(
    result.verdicts.map(({ key, sentence }) => `${key} ${sentence}`),
    ['a 1/1 running', 'b 1/1 running', 'c 1/1 running'],
  )
})

test('a service that falls over after it had converged is pending again', async () => {
  const { result, seconds } = await run(
    (second) => ({
      a:
        second < 3
          ? [{ state: 'running', since: -60 }]
          : [
              { state: 'failed', since: -60, error: 'task: non-zero exit (1)', dead: true, id: 'a-0' },
              { state: second < 8 ? 'starting' : 'running', since: second < 8 ? 3 : 8, id: 'a-1' },
            ],
      b: [{ state: second < 6 ? 'starting' : 'running', since: second < 6 ? 0 : 6 }],
    }),
    { names: ['a', 'b'] },
  )
  assert.equal(result.kind, 'converged')
  assert.equal(seconds, 13)
})

test('failures are counted though Swarm forgets them', async () => {
  const { result } = await run((second) => ({
    web: [
      {
        state: 'failed',
        since: Math.floor(second / 4) * 4,
        error: 'task: non-zero exit (3)',
        dead: true,
        id: `f${Math.floor(second / 4)}`,
      },
      { state: 'ready', since: second, id: 'next' },
    ],
  }))
  assert.equal(result.kind, 'failed')
  const [verdict] = result.verdicts
  assert.equal(verdict?.code, 'crash-loop')
  assert.match(verdict?.sentence ?? '', /^web\.1 failed 3 times, last on node-a: task: non-zero exit \(3\)$/)
  assert.equal(verdict?.failures.length, 3)
  assert.equal(result.snapshot?.tasks.length, 4)
})

const rejected = (id: string): Life => ({ state: 'rejected', since: 0, error: 'No such image: x', dead: true, id })
const refused: readonly Life[] = [rejected('1'), rejected('2'), rejected('3')]

test('a failure ends the watch at once when the others have come to a verdict', async () => {
  const { result, seconds } = await run(() => ({ bad: refused, good: [{ state: 'running', since: -60 }] }), {
    names: ['bad', 'good'],
  })
  assert.equal(result.kind, 'failed')
  assert.equal(seconds, 0)
  assert.deepEqual(
    result.verdicts.map(({ condition }) => condition),
    ['failed', 'converged'],
  )
})

test('after a failure the others get up to 5 s', async () => {
  const settled = await run(() => ({ bad: refused, good: [{ state: 'running', since: -3 }] }), {
    names: ['bad', 'good'],
  })
  assert.equal(settled.result.kind, 'failed')
  assert.equal(settled.seconds, 2)
  const never = await run(() => ({ bad: refused, good: [{ state: 'starting', since: 0 }] }), { names: ['bad', 'good'] })
  assert.equal(never.result.kind, 'failed')
  assert.equal(never.seconds, 5)
})

test('a failure is final, whatever comes after', async () => {
  const { result } = await run(
    (second) => ({
      bad: second < 1 ? refused : [{ state: 'running', since: -60 }],
      slow: [{ state: second < 3 ? 'starting' : 'running', since: -10 }],
    }),
    { names: ['bad', 'slow'] },
  )
  assert.equal(result.kind, 'failed')
  assert.equal(result.verdicts[0]?.code, 'image-pull')
})

test('the time is up on the dot', async () => {
  const { result, seconds, reads } = await run(() => ({ web: [{ state: 'starting', since: 0 }] }), {
    deadline: START + 3500,
  })
  assert.equal(result.kind, 'timed-out')
  assert.equal(seconds, 3.5)
  assert.deepEqual(reads, [0, 1, 2, 3, 3.5])
})

test('there is at least one look, even if the time is up already', async () => {
  const { result, reads } = await run(() => ({ web: [{ state: 'running', since: -60 }] }), { deadline: START - 1000 })
  assert.equal(result.kind, 'converged')
  assert.deepEqual(reads, [0])
})

test('a look that does not come back is given up when the time is up', async () => {
  const { result, seconds } = await run(() => ({}), { readTakes: 1e9, deadline: START + 8000 })
  assert.equal(result.kind, 'timed-out')
  assert.equal(seconds, 8)
  assert.equal(result.verdicts[0]?.sentence, 'could not be read yet')
})

test('a look that fails for the moment is neither success nor failure', async () => {
  const troubles: string[] = []
  let reads = 0
  const clock = fakeClock(START)
  const result = await clock.run(
    watch({
      read: async () => {
        reads++
        if (reads < 4) throw new EngineError(reads === 1 ? 'passing' : 'connection', 500, `trouble ${reads}`)
        return snapshotOf(() => ({ web: [{ state: 'running', since: -60 }] }), clock.now())
      },
      expectations: [expect('web')],
      now: clock.now,
      sleep: clock.sleep,
      deadline: START + 60_000,
      onVerdicts: () => {},
      onTrouble: (error) => troubles.push(error.message),
    }),
  )
  assert.equal(result.kind, 'converged')
  assert.equal(result.trouble, undefined)
  assert.deepEqual(troubles, ['trouble 1', 'trouble 2', 'trouble 3'])
  assert.equal(clock.now() - START, 6000)
})

test('a connection that nothing rebuilds ends the watch at once, as what it is', async () => {
  const lost = new EngineError('connection', 0, 'Lost the engine while trying to list tasks: gone', {
    cause: Object.assign(new Error('gone'), { final: true }),
  })
  let reads = 0
  const read = () => (++reads === 1 ? Promise.resolve(snapshotOf(() => ({ web: [] }), START)) : Promise.reject(lost))
  await assert.rejects(
    run(() => ({}), { read, deadline: START + 600_000 }),
    (error) => {
      assert.ok(error instanceof DeployError)
      assert.equal(error.code, 'connection')
      assert.equal(error.cause, lost)
      assert.match(error.message, /still converging when the way to the swarm was lost/)
      assert.match(error.remedy ?? '', /Run it again/)
      return true
    },
  )
  assert.equal(reads, 2)
})

test('reads that keep failing end with the time', async () => {
  const { result, seconds } = await run(() => ({}), {
    read: () => Promise.reject(new EngineError('connection', 0, 'gone')),
    deadline: START + 20_000,
  })
  assert.equal(result.kind, 'timed-out')
  assert.equal(result.trouble?.message, 'gone')
  assert.equal(seconds, 20)
})

test('a deadline of months asks for no timer that would fire at once', async () => {
  const asked: number[] = []
  const clock = fakeClock(START)
  const result = await clock.run(
    watch({
      read: async () => snapshotOf(() => ({ web: [{ state: 'running', since: -60 }] }), clock.now()),
      expectations: [expect('web')],
      now: clock.now,
      sleep: (ms, signal) => {
        asked.push(ms)
        return clock.sleep(ms, signal)
      },
      deadline: START + 90 * 24 * 3_600_000,
      onVerdicts: () => {},
    }),
  )
  assert.equal(result.kind, 'converged')
  assert.ok(asked.length > 0 && Math.max(...asked) < 2 ** 31, String(asked))
})

test('any other error of a look ends the watch', async () => {
  const read = () => Promise.reject(new EngineError('unauthorized', 403, 'no'))
  await assert.rejects(
    run(() => ({}), { read }),
    { message: 'no' },
  )
})

test('a cancelled run ends the watch at once, in a look as between two', async () => {
  for (const readTakes of [undefined, 1e9]) {
    const stop = new AbortController()
    const clock = fakeClock(START)
    const watching = watch({
      read: async () => {
        if (readTakes !== undefined) await clock.sleep(readTakes)
        return snapshotOf(() => ({ web: [{ state: 'starting', since: 0 }] }), clock.now())
      },
      expectations: [expect('web')],
      now: clock.now,
      sleep: clock.sleep,
      deadline: START + 60_000,
      signal: stop.signal,
      onVerdicts: () => {},
    })
    const stopping = clock.sleep(2500).then(() => stop.abort())
    const result = await clock.run(watching)
    await stopping
    assert.equal(result.kind, 'cancelled')
    assert.equal(clock.now() - START, 2500)
    assert.equal(result.verdicts.length, 1)
  }
})

test('only news is said, and a sign of life every 15 s', async () => {
  const { said } = await run(
    (second) => ({ web: [{ state: second < 40 ? 'starting' : 'running', since: second < 40 ? 0 : 40 }] }),
    {
      deadline: START + 120_000,
    },
  )
  assert.deepEqual(
    said.map(({ at, changed }) => [at, ...changed.map(({ sentence }) => sentence)]),
    [
      [0, '0/1 running; web.1 starting on node-a'],
      [3, '0/1 running; web.1 starting on node-a (waiting for its health check?) for 3 s'],
      [18],
      [33],
      [40, '1/1 running, watched for 5 s more'],
      [45, '1/1 running'],
    ],
  )
})

test('nothing to watch has converged', async () => {
  const { result } = await run(() => ({}), { names: [] })
  assert.equal(result.kind, 'converged')
})
