import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logOutcome } from '../../src/report/finalLog.ts'
import { createLog } from '../../src/report/log.ts'
import type { Outcome, Status } from '../../src/report/outcome.ts'
import { OUTPUT_NAMES, outputsOf } from '../../src/report/outputs.ts'
import { createRedactor } from '../../src/report/redactor.ts'
import { durationText } from '../../src/report/serviceText.ts'
import { exitCodeOf } from '../../src/report/status.ts'
import { summaryOf } from '../../src/report/summary.ts'
import { outputEntry, writeReport } from '../../src/report/writeReport.ts'
import { assertGolden } from './golden.ts'
import { cancelled, converged, failed, listed, refused, service, timedOut } from './samples.ts'

const outcomes: Readonly<Record<string, Outcome>> = {
  converged,
  failed,
  refused,
  cancelled,
  'timed-out': timedOut,
  listed,
}

for (const [name, outcome] of Object.entries(outcomes)) {
  test(`the log of a run that is ${name}`, () => {
    let text = ''
    const redactor = createRedactor()
    const log = createLog({
      redactor,
      write: (part) => {
        text += part
      },
    })
    logOutcome(log, redactor, outcome)
    assertGolden(`${name}.log`, text)
  })

  test(`the summary of a run that is ${name}`, () => assertGolden(`${name}.md`, summaryOf(outcome)))

  test(`the outputs of a run that is ${name}`, () => {
    const lines = [...outputsOf(outcome)].map(([key, value]) => `${key}=${value}\n`)
    assertGolden(`${name}.outputs`, lines.join(''))
  })
}

test('a list of no stacks, of more than a page holds, and one that failed', () => {
  const [stack] = listed.stacks ?? []
  assert.ok(stack)
  assert.match(summaryOf({ ...listed, stacks: [] }), /\n\nThere is no stack on this swarm\.\n$/)
  const many = Array.from({ length: 302 }, (_, number) => ({ ...stack, name: `s${number}` }))
  const page = summaryOf({ ...listed, stacks: many })
  assert.match(page, /\| `s299` \|/)
  assert.match(page, /\n\n… and 2 more\n$/)
  assert.equal(JSON.parse(outputsOf({ ...listed, stacks: many }).get('stacks') ?? '').length, 302)
  const { stacks: _none, ...unknown } = listed
  const refusal = { code: 'connection', message: 'nobody answers', problems: [] } as const
  assert.match(
    summaryOf({ ...unknown, status: 'refused', failure: refusal }),
    /^## 🚫 The swarm's stacks could not be listed\n/,
  )
  assert.equal(outputsOf(unknown).has('stacks'), false)
})

test('the exit code says whether the stack is as wanted', () => {
  const good: readonly Status[] = [
    'converged',
    'unchanged',
    'deployed',
    'planned',
    'removed',
    'listed',
    'healthy',
    'progressing',
  ]
  const bad: readonly Status[] = [
    ...([
      'degraded',
      'absent',
      'refused',
      'failed',
      'timed-out',
      'cancelled',
      'rolled-back',
      'rollback-failed',
    ] as const),
  ]
  assert.deepEqual(
    good.map(exitCodeOf),
    good.map(() => 0),
  )
  assert.deepEqual(
    bad.map(exitCodeOf),
    bad.map(() => 1),
  )
})

test('changed means that something was written, or may have been', () => {
  const changed = (outcome: Outcome) => outputsOf(outcome).get('changed')
  assert.equal(changed(converged), 'true')
  assert.equal(changed(cancelled), 'true')
  assert.equal(
    changed({ ...cancelled, writes: { applied: [], notApplied: ['service shop_web'], unknown: [] } }),
    'false',
  )
  assert.equal(changed({ ...converged, status: 'unchanged', changes: [] }), 'false')
  assert.equal(changed({ ...converged, status: 'planned' }), 'false')
  assert.equal(changed(refused), 'false')
})

test('the failure message is one line of at most 500 characters that keeps what Swarm said', () => {
  const message = (more: Partial<NonNullable<Outcome['failure']>>) => {
    const { failure } = failed
    assert.ok(failure)
    return outputsOf({ ...failed, failure: { ...failure, ...more } }).get('failure-message') ?? ''
  }
  assert.equal(
    message({}),
    'service worker does not converge: 3 tasks in slot 1 have failed [task: non-zero exit (78); docker-stack.yml:12:3]',
  )
  const long = message({ message: `it went wrong\r\n${'x'.repeat(10_000)}` })
  assert.ok(long.length <= 500)
  assert.match(long, /^it went wrong x+…x+… \[task: non-zero exit \(78\); docker-stack\.yml:12:3\]$/)
  assert.equal(outputsOf(converged).get('failure-message'), '')
})

test('of an error that docker wrapped again and again, the reason at its end is kept', () => {
  const error = `starting container failed: ${'endpoint join failed: '.repeat(40)}port is already allocated`
  const [web, worker] = failed.services
  assert.ok(web && worker?.diagnosis && failed.failure)
  const tasks = worker.diagnosis.tasks.map((task) => ({ ...task, error }))
  const outcome: Outcome = {
    ...failed,
    services: [web, { ...worker, diagnosis: { ...worker.diagnosis, tasks } }],
    failure: { ...failed.failure, message: `service worker: worker.1 failed: ${error}` },
  }
  const message = outputsOf(outcome).get('failure-message') ?? ''
  assert.match(message, /^service worker: worker\.1 failed: starting .*….* port is already allocated \[/)
  assert.ok(message.length <= 500)
})

test('a JSON output stays valid below 256 KiB and counts what is missing', () => {
  const services = Array.from({ length: 5000 }, (_, index) => service(`svc-${index}`, { reason: 'ü"\\'.repeat(100) }))
  const text = outputsOf({ ...converged, services }).get('services') ?? ''
  assert.ok(Buffer.byteLength(text) < 256 * 1024)
  const list = JSON.parse(text) as readonly Record<string, unknown>[]
  const last = list.at(-1) ?? {}
  assert.equal(list.length - 1 + Number(last.truncated), 5000)
  assert.equal(list[0]?.name, 'svc-0')
})

test('the summary stays below 1 MiB and still begins with the verdict', () => {
  const logs = Array.from({ length: 500 }, () => ({ timestamp: '', stream: 'stdout' as const, text: '€'.repeat(5000) }))
  const bad = failed.services[1]
  assert.ok(bad?.diagnosis)
  const tasks = bad.diagnosis.tasks.map((task) => ({ ...task, logs }))
  const services = Array.from({ length: 200 }, (_, index) => ({
    ...bad,
    name: `w${index}`,
    diagnosis: { ...bad.diagnosis, tasks },
  }))
  const summary = summaryOf({ ...failed, services: services as Outcome['services'] })
  assert.ok(Buffer.byteLength(summary) < 1024 * 1024)
  assert.match(summary, /^## ❌ Stack `shop` failed\n/)
  assert.match(summary, /_More than fits in here: the rest is in the log\._\n$/)
  assert.equal((summary.match(/<details>/g) ?? []).length, (summary.match(/<\/details>/g) ?? []).length)
})

test('outputs and summary are written where the runner reads them', () => {
  const files = new Map<string, string>()
  const append = (path: string, text: string) => void files.set(path, (files.get(path) ?? '') + text)
  const env = { GITHUB_OUTPUT: '/out', GITHUB_STEP_SUMMARY: '/summary' }
  const redactor = createRedactor()
  assert.deepEqual(writeReport(converged, { env, redactor, summary: true, append }), { skipped: [], problems: [] })
  assert.equal(files.get('/summary'), summaryOf(converged))
  const names = [...(files.get('/out') ?? '').matchAll(/^([a-z-]+)<<(ghadelimiter_\S+)\n.*\n\2$/gm)].map(
    (match) => match[1],
  )
  // Only a list has stacks, and an empty text would be no JSON.
  assert.deepEqual(
    names,
    OUTPUT_NAMES.filter((name) => name !== 'stacks'),
  )
})

test('a report that cannot be written is said, not thrown', () => {
  const redactor = createRedactor()
  const append = () => {
    throw new Error('ENOSPC: no space left on device')
  }
  assert.deepEqual(writeReport(converged, { env: {}, redactor, summary: true, append }).skipped, [
    'no outputs written: $GITHUB_OUTPUT is not set, so this is no step of a workflow',
    'no job summary written: $GITHUB_STEP_SUMMARY is not set, so this is no step of a workflow',
  ])
  const env = { GITHUB_OUTPUT: '/out', GITHUB_STEP_SUMMARY: '/summary' }
  const { skipped, problems } = writeReport(converged, { env, redactor, summary: true, append })
  assert.deepEqual(skipped, [])
  assert.deepEqual(
    problems.map(({ severity, message }) => `${severity}: ${message}`),
    [
      "error: no outputs can be written into the runner's file, $GITHUB_OUTPUT: ENOSPC: no space left on device",
      "warning: no job summary can be written into the runner's file, $GITHUB_STEP_SUMMARY: ENOSPC: no space left on device",
    ],
  )
  assert.ok(problems.every(({ remedy }) => /disk has room/.test(remedy ?? '')))
})

test('a value that holds the delimiter can not end itself', () => {
  const random = ['a', 'a', 'b'].values()
  const entry = outputEntry('x', 'ghadelimiter_a\ny=1', () => random.next().value ?? 'z')
  assert.equal(entry, 'x<<ghadelimiter_b\nghadelimiter_a\ny=1\nghadelimiter_b\n')
})

test('durations read well', () => {
  assert.deepEqual([0, 850, 9_949, 9_950, 59_499, 59_500, 125_000, 3_720_000].map(durationText), [
    ...['0.0 s', '0.8 s', '9.9 s', '10 s', '59 s', '1 min 0 s', '2 min 5 s', '1 h 2 min'],
  ])
})
