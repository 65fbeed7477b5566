// What was put back after a failure: said after what failed, in log and summary alike, and in nobody else's words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logOutcome } from '../../src/report/finalLog.ts'
import { createLog } from '../../src/report/log.ts'
import type { Outcome, RestoreReport } from '../../src/report/outcome.ts'
import { outputsOf } from '../../src/report/outputs.ts'
import { createRedactor } from '../../src/report/redactor.ts'
import { summaryOf } from '../../src/report/summary.ts'
import { failed } from './samples.ts'

const nothing: RestoreReport = { putBack: [], removed: [], kept: [], notBack: [], open: [] }

function said(outcome: Outcome): string {
  const lines: string[] = []
  const redactor = createRedactor()
  logOutcome(createLog({ redactor, write: (line) => lines.push(line) }), redactor, outcome)
  return lines.join('')
}

test('each fate is a line, and what failed comes first', () => {
  const restored = {
    ...nothing,
    putBack: ['api', 'web'],
    removed: ['new'],
    kept: [{ name: 'job', why: 'it is a job' }],
  }
  const outcome: Outcome = { ...failed, status: 'rolled-back', restored }
  const log = said(outcome)
  assert.match(
    log,
    /failed, and is back as it was before \(rolled-back.*Put back as before: api, web\nRemoved again, since new: new\nLeft as deployed: job \(it is a job\)\n/s,
  )
  assert.doesNotMatch(log, /The rollback failed/)
  const summary = summaryOf(outcome)
  assert.ok(summary.indexOf('What to do') < summary.indexOf('### Put back'), summary)
  assert.match(summary, /- Put back as before: api, web\n- Removed again, since new: new\n/)
  assert.equal(outputsOf(outcome).get('failed-service'), failed.failure?.service)
})

test('a rollback that failed is an annotation of its own, with what to do', () => {
  const restored = {
    ...nothing,
    putBack: ['web'],
    notBack: [{ name: 'api', why: 'refused ::error::<b>@team</b>' }],
    open: ['db'],
    trouble: 'what was put back does not run: service web: 0/1 running',
    remedy: 'Look at web.',
  }
  const outcome: Outcome = { ...failed, status: 'rollback-failed', restored }
  const log = said(outcome)
  assert.match(log, /^Not put back: api \(refused .*\nNot put back yet, or unknown: db$/m)
  assert.match(
    log,
    /^::error title=Rollback failed::The rollback failed: api is not back: refused .*; what was put back does not run: service web: 0\/1 running.*Look at web\./m,
  )
  assert.doesNotMatch(log.replace(/^::error title=[^\n]*/gm, ''), /::error::/)
  assert.doesNotMatch(summaryOf(outcome), /<b>|@team/)
})
