import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CommandContext, Progress } from '../../src/commands/context.ts'
import { verdictOf } from '../../src/commands/verdict.ts'
import { EngineError } from '../../src/engine/engine.ts'
import { remedies } from '../../src/health/remedies.ts'
import type { Verdict } from '../../src/health/verdict.ts'

const verdict: Verdict = {
  key: 'web',
  name: 'shop_web',
  condition: 'progressing',
  sentence: '0/1 running; web.1 starting on node-a',
  mode: 'replicated',
  image: 'nginx',
  running: 0,
  desired: 1,
  completed: 0,
  failures: [],
}

/** How a watch that the time ended is reported. */
function timedOut(trouble?: EngineError, code?: Verdict['code']) {
  const progress: Progress = { changes: [], services: [] }
  const context = {
    inputs: { logLines: 0 },
    progress,
    log: { info: () => {} },
    warn: () => {},
    cancelled: new AbortController().signal,
  }
  const spec = { namespace: 'shop', networks: [], secrets: [], configs: [], services: [] }
  return verdictOf(
    context as unknown as CommandContext,
    undefined as never,
    spec as never,
    { changes: [], services: [], objects: [] },
    { kind: 'timed-out', verdicts: [{ ...verdict, code }], trouble },
    () => undefined,
  )
}

test('a time-out names what was pending', async () => {
  const { status, failure } = await timedOut()
  assert.deepEqual([status, failure?.code, failure?.service], ['timed-out', 'timeout', 'web'])
  assert.match(failure?.message ?? '', /^the time was up before 1 of 1 service had converged: web: 0\/1 running/)
})

test('a time-out in which a service was stuck has that as its reason', async () => {
  for (const code of ['stalled', 'network'] as const) {
    const { status, failure } = await timedOut(undefined, code)
    assert.deepEqual([status, failure?.code, failure?.remedy], ['timed-out', code, remedies[code]])
    const unseen = await timedOut(new EngineError('connection', 0, 'Lost the engine'), code)
    assert.equal(unseen.failure?.code, 'timeout')
  }
})

test('a time-out while the manager could not be asked blames that, not the services', async () => {
  const { status, failure } = await timedOut(new EngineError('connection', 0, 'Lost the engine'))
  assert.deepEqual([status, failure?.code], ['timed-out', 'timeout'])
  assert.match(
    failure?.message ?? '',
    /^the manager could not be asked any more .*\(Lost the engine\); before that: .*web: 0\/1/,
  )
  assert.doesNotMatch(failure?.remedy ?? '', /raise `timeout`/)
})
