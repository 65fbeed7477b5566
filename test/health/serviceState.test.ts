import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ServiceState, serviceStates } from '../../src/health/serviceState.ts'
import type { Snapshot } from '../../src/health/verdict.ts'
import type { Service } from '../../src/swarm/service.ts'
import type { Task, TaskState } from '../../src/swarm/task.ts'
import { fixture } from './fixture.ts'

/** The recorded service, as one of stack `shop`. */
function stateOf(name: string, change: (snapshot: Snapshot) => Partial<Snapshot> = () => ({})): ServiceState {
  const { snapshot } = fixture(name)
  const seen = { ...snapshot, ...change(snapshot) }
  const services = seen.services.map((service) => ({
    ...service,
    Spec: { ...service.Spec, Labels: { 'com.docker.stack.namespace': 'shop' } },
  }))
  const [state] = serviceStates({ ...seen, services }, 'shop')
  assert.ok(state)
  return state
}

const table: readonly (readonly [fixture: string, expected: Partial<ServiceState>])[] = [
  ['new-starting', { mode: 'replicated', running: 1, desired: 3, completed: 0, replicas: '1/3', status: 'active' }],
  ['new-converged', { running: 3, desired: 3, replicas: '3/3', updateState: '', job: false }],
  ['global-converged', { mode: 'global', running: 2, desired: 2 }],
  ['global-no-node', { mode: 'global', running: 0, desired: 0 }],
  ['zero-replicas', { running: 0, desired: 0, newestTaskAge: 0 }],
  ['crash-restart-none', { dead: true, deadReason: 'task: non-zero exit (3)', job: true }],
  ['crash-loop', { dead: false, running: 0 }],
  ['exits-zero', { completed: 0, job: false }],
  ['one-shot-completed', { running: 0, completed: 1, desired: 1, replicas: '1/1', status: 'completed' }],
  ['on-failure-completed', { job: true, nativeJob: false, completed: 1 }],
  ['job-completed', { mode: 'replicated job', nativeJob: true, completed: 3, desired: 3, status: 'completed' }],
  ['job-run-again', { completed: 0, desired: 2, replicas: '0/2' }],
  ['global-job-completed', { mode: 'global job', completed: 2, desired: 2 }],
  ['update-paused-crash', { updateState: 'paused', status: 'paused' }],
  ['rolled-back', { updateState: 'rollback_completed', updateMessage: 'rollback completed', status: 'rolled back' }],
  ['rollback-under-way', { status: 'rolling back' }],
  ['update-converged', { updateState: 'completed', status: 'updated' }],
]

for (const [name, expected] of table) {
  test(`the state of ${name}`, () => {
    const state = stateOf(name)
    for (const [key, value] of Object.entries(expected)) assert.equal(state[key as keyof ServiceState], value, key)
  })
}

test('services are those with the label, by name', () => {
  const service = (name: string, namespace: string): Service => ({
    ID: name,
    Version: { Index: 1 },
    CreatedAt: '2026-01-01T00:00:00Z',
    UpdatedAt: '2026-01-01T00:00:00Z',
    Spec: { Name: name, Labels: { 'com.docker.stack.namespace': namespace }, TaskTemplate: {} },
  })
  const services = [service('shop_web', 'shop'), service('shop_api', 'shop'), service('shop_x', 'other')]
  const states = serviceStates({ now: 0, services, tasks: [], nodes: [] }, 'shop')
  assert.deepEqual(
    states.map(({ name, desired }) => [name, desired]),
    [
      ['shop_api', 1],
      ['shop_web', 1],
    ],
  )
})

test('the newest task of a slot counts, by what it does and not only by what is wanted of it', () => {
  const change = (state: TaskState, desired: TaskState) => (snapshot: Snapshot) => ({
    tasks: snapshot.tasks.map(
      (task): Task => ({ ...task, DesiredState: desired, Status: { ...task.Status, State: state } }),
    ),
  })
  assert.equal(stateOf('new-converged', change('starting', 'running')).running, 0)
  assert.equal(stateOf('new-converged', change('running', 'shutdown')).running, 0)
  assert.equal(stateOf('new-converged', change('running', 'running')).running, 3)
})

test('the age of the newest task is never negative', () => {
  const { snapshot } = fixture('new-converged')
  assert.equal(stateOf('new-converged', () => ({ now: snapshot.now - 3_600_000 })).newestTaskAge, 0)
  assert.equal(stateOf('new-converged').newestTaskAge > 15_000, true)
})

test('tasks on drained nodes are not counted, those on paused ones are', () => {
  const availability = (value: 'drain' | 'pause') => (snapshot: Snapshot) => ({
    nodes: snapshot.nodes.map((node) => ({ ...node, Spec: { ...node.Spec, Availability: value } })),
  })
  assert.deepEqual(
    [stateOf('global-converged', availability('drain')), stateOf('global-converged', availability('pause'))].map(
      ({ running, desired }) => `${running}/${desired}`,
    ),
    ['0/0', '2/2'],
  )
})
