import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WriteJournal } from '../../src/backend/journal.ts'
import { becauseOf, brokenOff } from '../../src/commands/ending.ts'
import { statusFacts } from '../../src/report/status.ts'

test('a removal that is cancelled has nothing to be put back', () => {
  const journal = new WriteJournal()
  journal.start('service shop_web')
  const ending = { cancelled: true, late: false, doing: 'removing the stack' }
  const removal = brokenOff(new Error('cancelled'), journal, { ...ending, command: 'remove' })
  assert.equal(removal.status, 'cancelled')
  assert.match(removal.failure?.message ?? '', /cancelled while removing the stack\. The log lists what is removed\.$/)
  assert.match(removal.failure?.remedy ?? '', /^Run the workflow again to remove what is left\.$/)
  const deployment = brokenOff(new Error('cancelled'), journal, { ...ending, command: 'deploy' })
  assert.match(deployment.failure?.message ?? '', /Nothing was rolled back/)
})

test('the way back is named: to a release record where there is one, else for each service', () => {
  const journal = new WriteJournal()
  journal.start('service shop_web')
  const ended = (more: Partial<Parameters<typeof brokenOff>[2]>) =>
    brokenOff(new Error('cancelled'), journal, { cancelled: true, late: false, command: 'deploy', ...more }).failure
  assert.match(ended({})?.remedy ?? '', /^To put a service back: `docker service rollback <service>`/)
  assert.match(ended({ wayBack: 3 })?.remedy ?? '', /^To put the stack back: `command: rollback` with `revision: 3`\./)
  const restoring = ended({ wayBack: 3, isRestoring: true, doing: 'putting back what was there before' })
  assert.match(restoring?.message ?? '', /while putting back .* The log lists what is back and what is not\.$/)
  // Of what is back already, Swarm's own rollback would be the way to what failed.
  const onlyRest = /on a manager, only for a service that is not back yet\. Run the workflow again/
  assert.match(restoring?.remedy ?? '', /^To put back the rest: `command: rollback` with `revision: 3`\./)
  assert.match(restoring?.remedy ?? '', onlyRest)
  assert.match(ended({ isRestoring: true })?.remedy ?? '', onlyRest)
})

test('what a removal ended with is not told as that of a deployment', () => {
  for (const status of ['refused', 'failed', 'timed-out', 'cancelled'] as const) {
    const removal = statusFacts({ status, command: 'remove' })
    assert.match(removal.says, /removed|gone/)
    assert.equal(removal.exitCode, statusFacts({ status, command: 'deploy' }).exitCode)
    assert.doesNotMatch(statusFacts({ status, command: 'deploy' }).says, /removed|gone/)
  }
})

test('a run whose time was up while its manager could not be asked ended because of that', () => {
  const late = brokenOff(new Error('x'), new WriteJournal(), { cancelled: false, late: true, doing: 'reading' })
  assert.equal(late.failure?.code, 'timeout')
  const outage = {
    code: 'connection',
    message: 'The connection was lost at 20:08:00 UTC.',
    remedy: 'Check it.',
  } as const
  const { status, failure } = becauseOf(outage, late)
  assert.deepEqual([status, failure?.code, failure?.remedy], ['refused', 'connection', 'Check it.'])
  assert.equal(
    failure?.message,
    'The connection was lost at 20:08:00 UTC. The time was up while reading, before anything was written.',
  )
  assert.equal(becauseOf(undefined, late), late)
  // What has another reason keeps it, and nothing is said twice.
  const other = { status: 'failed', failure: { code: 'crash-loop', message: 'web exits', problems: [] } } as const
  assert.equal(becauseOf(outage, other), other)
  const told = {
    status: 'failed',
    failure: { code: 'connection', message: `Lost: ${outage.message}`, problems: [] },
  } as const
  assert.equal(becauseOf(outage, told).failure?.message, outage.message)
})
