// How a service stands, whoever deployed it: what `command: status` says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assess } from '../../src/health/assess.ts'
import { standingExpectation } from '../../src/health/since.ts'
import type { Expectation, Snapshot, Verdict } from '../../src/health/verdict.ts'
import { fixture, fixtures } from './fixture.ts'

function standing(
  { key, name }: Pick<Expectation, 'key' | 'name'>,
  snapshot: Snapshot,
  options: { readonly monitor?: number; readonly maxFailures?: number } = {},
): Verdict {
  const service = snapshot.services.find(({ Spec }) => Spec.Name === name)
  const { monitor, maxFailures = 3 } = options
  return assess(standingExpectation(service, { key, name, now: snapshot.now, monitor, maxFailures }), snapshot)
}

/** Where a run that deploys says something else, since it knows what it wrote. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'rollback-secret-missing': 'failed rolled-back',
  'rolled-back-long-ago': 'failed rolled-back',
  'removed-and-made-anew': 'progressing',
  'scaled-by-hand': 'converged',
  'scaled-to-zero': 'converged',
  'update-by-someone-else': 'progressing',
}

for (const { name, expectation, snapshot, verdict } of fixtures()) {
  test(`recorded, as it stands: ${name}`, () => {
    const { condition, code } = standing(expectation, snapshot)
    const deployed = [verdict.condition, verdict.code ?? ''].join(' ').trim()
    assert.equal([condition, code ?? ''].join(' ').trim(), OTHERWISE[name] ?? deployed)
  })
}

test('failures of more than half an hour ago say nothing about a service that is being started again', () => {
  const { expectation, snapshot } = fixture('crash-loop')
  const tasks = snapshot.tasks.map((task) =>
    task.Status.State === 'failed'
      ? { ...task, CreatedAt: new Date(Date.parse(task.CreatedAt) - 31 * 60_000).toISOString() }
      : task,
  )
  const verdict = standing(expectation, { ...snapshot, tasks })
  assert.deepEqual([verdict.condition, verdict.failures.length], ['progressing', 0])
})

test('a service that the manifest has and the swarm has not is a failure', () => {
  const { expectation, snapshot } = fixture('new-converged')
  const verdict = standing(expectation, { ...snapshot, services: [] })
  assert.deepEqual([verdict.condition, verdict.code, verdict.remedy], ['failed', 'removed', 'Deploy the stack.'])
})

test('max-failures and monitor are heeded', () => {
  const { expectation, snapshot } = fixture('crash-first')
  assert.equal(standing(expectation, snapshot, { maxFailures: 1 }).condition, 'failed')
  const converged = fixture('new-converged')
  assert.equal(standing(converged.expectation, converged.snapshot, { monitor: 3_600_000 }).condition, 'progressing')
})
