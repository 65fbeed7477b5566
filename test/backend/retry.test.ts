import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Retry, retryOf } from '../../src/backend/retry.ts'
import type { RestartPolicy, Service, ServiceMode, UpdateState } from '../../src/swarm/service.ts'
import type { Task, TaskState } from '../../src/swarm/task.ts'
import { aNode } from '../support/memoryValues.ts'

const times = { Version: { Index: 1 }, CreatedAt: '2026-01-01T00:00:00Z', UpdatedAt: '2026-01-01T00:00:00Z' }

interface Case {
  readonly policy?: RestartPolicy
  readonly mode?: ServiceMode
  readonly state?: UpdateState
  readonly iteration?: number
  /** `slot state desired`, oldest first; a slot `@n` is a node, `/n` a job's run, `!` an older spec. */
  readonly tasks: readonly string[]
}

function retryIn({ policy, mode, state, iteration, tasks }: Case): Retry {
  const template = { ContainerSpec: { Image: 'x' }, ...(policy && { RestartPolicy: policy }) }
  const service: Service = {
    ID: 'svc',
    ...times,
    Spec: { Name: 's', TaskTemplate: { ...template, Runtime: 'container' }, ...(mode && { Mode: mode }) },
    ...(state && { UpdateStatus: { State: state } }),
    ...(iteration !== undefined && { JobStatus: { JobIteration: { Index: iteration } } }),
  }
  const made = tasks.map((text, index): Task => {
    const [place = '', now, desired] = text.split(' ')
    const [, kind, slot, run, old] = /^(@?)(\w+)(?:\/(\d+))?(!?)$/.exec(place) ?? []
    return {
      ID: `t${index}`,
      ...times,
      CreatedAt: new Date(Date.UTC(2026, 0, 1) + index).toISOString(),
      ServiceID: 'svc',
      Spec: old === '!' ? { ContainerSpec: { Image: 'old' } } : template,
      ...(kind === '@' ? { NodeID: `${slot}-id` } : { Slot: Number(slot), NodeID: 'a-id' }),
      Status: { Timestamp: times.CreatedAt, State: now as TaskState },
      DesiredState: desired as TaskState,
      ...(run !== undefined && { JobIteration: { Index: Number(run) } }),
    }
  })
  return retryOf(service, made, [aNode('a'), aNode('b', { Spec: { Availability: 'drain' } })])
}

const never: RestartPolicy = { Condition: 'none' }
const twice: RestartPolicy = { Condition: 'on-failure', MaxAttempts: 2 }
const cases: readonly (readonly [what: string, expected: Retry, given: Case])[] = [
  ['running', 'none', { tasks: ['1 running running'] }],
  ['nothing yet', 'none', { policy: never, tasks: [] }],
  ['an update under way', 'none', { state: 'updating', tasks: ['1 failed shutdown', '1 ready running'] }],
  ['a crash loop that Swarm goes on with', 'none', { tasks: ['1 failed shutdown'] }],
  ['paused', 'same-spec', { state: 'paused', tasks: ['1 running running'] }],
  ['a rollback that is paused', 'same-spec', { state: 'rollback_paused', tasks: ['1 running running'] }],
  ['rolled back long ago', 'none', { state: 'rollback_completed', tasks: ['1 running running'] }],
  ['a one-shot that failed', 'force', { policy: never, tasks: ['1 failed shutdown'] }],
  ['a one-shot that was rejected', 'force', { policy: never, tasks: ['1 rejected shutdown'] }],
  ['a one-shot whose node was lost', 'force', { policy: never, tasks: ['1 orphaned shutdown'] }],
  [
    'a one-shot that failed in one of two slots',
    'force',
    { policy: never, mode: { Replicated: { Replicas: 2 } }, tasks: ['1 complete shutdown', '2 failed shutdown'] },
  ],
  ['a one-shot that completed', 'none', { policy: never, tasks: ['1 complete shutdown'] }],
  [
    'a one-shot that completed, which Swarm calls paused',
    'none',
    { policy: never, state: 'paused', tasks: ['1 complete shutdown'] },
  ],
  [
    'a one-shot of which only the old task completed',
    'same-spec',
    { policy: never, state: 'paused', tasks: ['1! complete shutdown'] },
  ],
  [
    'a one-shot that failed once and completed since',
    'none',
    { policy: never, tasks: ['1 failed shutdown', '1 complete shutdown'] },
  ],
  ['a one-shot that runs', 'none', { policy: never, tasks: ['1 failed shutdown', '1 running running'] }],
  ['a failed one-shot, paused', 'force', { policy: never, state: 'paused', tasks: ['1 failed shutdown'] }],
  [
    'attempts used up',
    'force',
    { policy: twice, tasks: ['1 failed shutdown', '1 failed shutdown', '1 failed shutdown'] },
  ],
  ['attempts left', 'none', { policy: twice, tasks: ['1 failed shutdown', '1 ready running'] }],
  [
    'attempts used up by ending well, where it should not end',
    'force',
    { policy: { MaxAttempts: 1 }, tasks: ['1 complete shutdown', '1 complete shutdown'] },
  ],
  [
    'a failed task of a slot that is no longer wanted',
    'none',
    { policy: never, tasks: ['1 running running', '2 failed remove'] },
  ],
  [
    'what is left of a slot that Swarm gave up when more replicas were wanted',
    'none',
    { policy: twice, mode: { Replicated: { Replicas: 1 } }, tasks: ['1 running running', '2 failed shutdown'] },
  ],
  ['a one-shot whose node was drained', 'force', { policy: never, tasks: ['1 shutdown shutdown'] }],
  ['a one-shot whose node was lost a moment ago', 'force', { policy: never, tasks: ['1 running shutdown'] }],
  [
    'a global one-shot whose node was drained and is back',
    'none',
    { policy: never, mode: { Global: {} }, tasks: ['@a shutdown shutdown'] },
  ],
  ['a global one-shot that failed', 'force', { policy: never, mode: { Global: {} }, tasks: ['@a failed shutdown'] }],
  [
    'a global one-shot that failed on a node now drained',
    'none',
    { policy: never, mode: { Global: {} }, tasks: ['@a running running', '@b failed shutdown'] },
  ],
  [
    'a job that failed',
    'same-spec',
    { policy: twice, mode: { ReplicatedJob: {} }, iteration: 0, tasks: ['0 failed shutdown'] },
  ],
  [
    'a job that is tried again without end',
    'none',
    { mode: { ReplicatedJob: {} }, iteration: 0, tasks: ['0 failed shutdown'] },
  ],
  [
    'a job that completed',
    'none',
    { policy: twice, mode: { ReplicatedJob: {} }, iteration: 0, tasks: ['0 complete shutdown'] },
  ],
  [
    'a job that failed in an earlier run',
    'none',
    {
      policy: twice,
      mode: { ReplicatedJob: {} },
      iteration: 2,
      tasks: ['0/2 complete shutdown', '0/1 failed shutdown'],
    },
  ],
  [
    'a global job that failed',
    'same-spec',
    { policy: never, mode: { GlobalJob: {} }, iteration: 0, tasks: ['@a failed shutdown'] },
  ],
]

describe('how a service that is as wanted is started again', () => {
  for (const [what, expected, given] of cases)
    test(`${what}: ${expected}`, () => assert.equal(retryIn(given), expected))
})
