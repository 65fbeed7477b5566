import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgressLog } from '../../src/commands/progressLog.ts'
import { EngineError } from '../../src/engine/engine.ts'
import type { Condition, Verdict } from '../../src/health/verdict.ts'
import { createLog } from '../../src/report/log.ts'
import { createRedactor } from '../../src/report/redactor.ts'
import { watch } from '../../src/rollout/watch.ts'
import type { Service } from '../../src/swarm/service.ts'
import type { Task, TaskState } from '../../src/swarm/task.ts'
import { fakeClock } from '../rollout/fakeClock.ts'

function verdict(key: string, condition: Condition, sentence = '0/1 running'): Verdict {
  return {
    key,
    name: `shop_${key}`,
    condition,
    sentence,
    mode: 'replicated',
    image: '',
    running: 0,
    desired: 1,
    completed: 0,
    failures: [],
  }
}

const many = (count: number, condition: Condition): readonly Verdict[] =>
  Array.from({ length: count }, (_, index) => verdict(`s${index}`, condition))

function progressLog(clock = () => 0) {
  const lines: string[] = []
  const log = createLog({ redactor: createRedactor(), write: (text) => lines.push(text.trimEnd()) })
  return { lines, said: createProgressLog(log, clock) }
}

test('a few changes have a line each', () => {
  const { lines, said } = progressLog()
  const news = [verdict('web', 'converged', '2/2 running'), verdict('db', 'failed', 'db.1 failed 3 times')]
  said.verdicts(news, news)
  assert.deepEqual(lines, ['   0 s  ✔ web: 2/2 running', '   0 s  ✘ db: db.1 failed 3 times'])
})

test('many changes at once share lines, and failures are still told one by one', () => {
  const { lines, said } = progressLog()
  const all = [
    ...many(150, 'progressing'),
    ...many(48, 'converged'),
    verdict('db', 'failed', 'crashed'),
    ...many(1, 'failed'),
  ]
  said.verdicts(all, all)
  assert.deepEqual(lines, [
    '   0 s  ✔ converged (48 of 200 services): s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 38 more',
    '   0 s  … progressing: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 140 more',
    '   0 s  ✘ db: crashed',
    '   0 s  ✘ s0: 0/1 running',
  ])
})

test('when everything fails, ten failures are told and the others named', () => {
  const { lines, said } = progressLog()
  said.verdicts(many(30, 'failed'), many(30, 'failed'))
  assert.equal(lines.length, 11)
  assert.equal(lines.at(-1), '   0 s  ✘ failed too: s10, s11, s12, s13, s14, s15, s16, s17, s18, s19 and 10 more')
})

test('a sign of life names who is pending, and what is missing where there are few', () => {
  const { lines, said } = progressLog()
  said.verdicts(
    [],
    [verdict('web', 'progressing', '1/2 running; web.2 preparing on a for 20 s'), verdict('db', 'converged')],
  )
  said.verdicts([], many(200, 'progressing'))
  assert.deepEqual(lines, [
    '   0 s  still waiting for web: 1/2 running; web.2 preparing on a for 20 s',
    '   0 s  still waiting for 200 of 200 services: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 190 more',
  ])
})

test('the same trouble is told once until something is read again', () => {
  const { lines, said } = progressLog()
  const error = new EngineError('passing', 503, 'no leader')
  said.trouble(error)
  said.trouble(error)
  assert.deepEqual(lines, ['   0 s  the manager could not be asked, trying again: no leader'])
  said.verdicts([verdict('web', 'converged')], [])
  said.trouble(error)
  assert.equal(lines.length, 3)
})

test('trouble that goes on is told again every 15 s', () => {
  let now = 0
  const { lines, said } = progressLog(() => now)
  const error = new EngineError('passing', 503, 'no leader')
  for (; now <= 60_000; now += 5000) said.trouble(error)
  assert.deepEqual(
    lines.map((line) => line.slice(0, 6)),
    ['   0 s', '  15 s', '  30 s', '  45 s', '  60 s'],
  )
})

test('a look that gets no answer gives a sign of life every 15 s, until it is over or given up', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'] })
  const { lines, said } = progressLog(Date.now)
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second++) t.mock.timers.tick(1000)
  }
  const quick = await said.awaiting(Promise.resolve('look'), undefined)
  assert.equal(quick, 'look')
  let answer = (_look: string): void => {}
  const slow = said.awaiting(new Promise<string>((resolve) => (answer = resolve)), undefined)
  pass(31)
  answer('at last')
  assert.equal(await slow, 'at last')
  pass(60)
  assert.deepEqual(lines, [
    '  15 s  no answer from the manager for 15 s, still waiting for it',
    '  30 s  no answer from the manager for 30 s, still waiting for it',
  ])

  // A call may not heed its signal: nothing is said of it after the watch.
  const over = new AbortController()
  void said.awaiting(new Promise(() => {}), over.signal)
  pass(16)
  over.abort()
  pass(60)
  assert.equal(lines.length, 3)

  const failing = said.awaiting(Promise.reject(new Error('lost')), undefined)
  await assert.rejects(failing, { message: 'lost' })
  pass(60)
  assert.equal(lines.length, 3)
})

test('the log of a stack of 200 services that start one after the other is no flood', async () => {
  const START = Date.parse('2026-01-01T00:00:00Z')
  const clock = fakeClock(START)
  const { lines, said } = progressLog(clock.now)
  const states: readonly TaskState[] = ['new', 'pending', 'preparing', 'ready', 'starting', 'running']
  const stamp = (ms: number) => new Date(ms).toISOString()
  let lists = 0
  // Four services begin each second, and each step of a task takes one.
  const read = async () => {
    lists++
    const second = Math.floor((clock.now() - START) / 1000)
    const services: Service[] = []
    const tasks: Task[] = []
    for (let index = 0; index < 200; index++) {
      const age = second - Math.floor(index / 4)
      const step = Math.max(0, Math.min(age, states.length - 1))
      const at = stamp(START + Math.max(0, second - (age - step)) * 1000)
      const meta = { Version: { Index: 1 }, CreatedAt: stamp(START), UpdatedAt: at }
      services.push({
        ...meta,
        ID: `id${index}`,
        Spec: { Name: `s${index}`, TaskTemplate: {}, Mode: { Replicated: { Replicas: 1 } } },
      })
      tasks.push({
        ...meta,
        ID: `t${index}`,
        ServiceID: `id${index}`,
        Slot: 1,
        NodeID: 'n',
        Spec: {},
        DesiredState: 'running',
        Status: { State: states[step] ?? 'running', Timestamp: at },
      })
    }
    const node = { ID: 'n', Version: { Index: 1 }, CreatedAt: stamp(START), UpdatedAt: stamp(START) }
    return {
      now: clock.now(),
      services,
      tasks,
      upToDate: new Set(tasks.map(({ ID }) => ID)),
      nodes: [
        {
          ...node,
          Spec: { Availability: 'active' as const },
          Description: { Hostname: 'a' },
          Status: { State: 'ready' as const },
        },
      ],
    }
  }
  const expectations = Array.from({ length: 200 }, (_, index) => ({
    key: `s${index}`,
    name: `s${index}`,
    id: `id${index}`,
    written: true,
    since: START,
    monitor: 5000,
    maxFailures: 3,
  }))
  const { kind } = await clock.run(
    watch({
      read,
      expectations,
      now: clock.now,
      sleep: clock.sleep,
      deadline: START + 600_000,
      onVerdicts: said.verdicts,
    }),
  )
  assert.equal(kind, 'converged')
  assert.ok(lists < 75, `${lists} looks`)
  // 200 services, a minute: two lines a second at most.
  assert.ok(lines.length < 150, `${lines.length} lines`)
  assert.ok(lines.join('\n').length < 20_000, `${lines.join('\n').length} characters`)
})
