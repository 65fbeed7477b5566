import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assess } from '../../src/health/assess.ts'
import type { UpdateState } from '../../src/swarm/service.ts'
import type { TaskState } from '../../src/swarm/task.ts'
import { fixture } from './fixture.ts'

/** A service that has converged, with one more task of the same spec in the place of its first. */
function withAnother(desired: TaskState, updateState: UpdateState = 'completed') {
  const { expectation, snapshot } = fixture('update-converged')
  const { upToDate } = snapshot
  const running = snapshot.tasks.find(({ ID, Status }) => upToDate.has(ID) && Status.State === 'running')
  assert.ok(running)
  const verdict = assess(expectation, {
    ...snapshot,
    services: snapshot.services.map((service) => ({ ...service, UpdateStatus: { State: updateState } })),
    tasks: [...snapshot.tasks, { ...running, ID: 'another', DesiredState: desired }],
    upToDate: new Set([...upToDate, 'another']),
  })
  return { ...verdict, place: `${expectation.key}.${running.Slot}` }
}

test('two tasks that Swarm keeps in one place are told of, though all that is wanted runs', () => {
  const { condition, warning, running, desired, name, place } = withAnother('running')
  assert.deepEqual([condition, running], ['converged', desired])
  assert.equal(
    warning,
    `Swarm runs 2 tasks as ${place}, where one is wanted. \`docker service update --force ${name}\` on a manager replaces them by one`,
  )
})

test('one that is being stopped is none of them, nor is any while an update is under way', () => {
  assert.equal(withAnother('shutdown').warning, undefined)
  assert.equal(withAnother('running', 'updating').warning, undefined)
})
