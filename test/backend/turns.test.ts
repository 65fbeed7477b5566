// Which services are written together, and what has to have converged before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceStep } from '../../src/backend/planServices.ts'
import { turnsOf } from '../../src/backend/turns.ts'
import { aServiceObject } from '../support/stackSpecs.ts'

type Action = ServiceStep['action']

interface Wanted {
  readonly action?: Action | 'not planned'
  readonly wave?: number
  readonly alone?: boolean
  readonly after?: readonly string[]
}

/** Each turn as `a b`, or `a b when c d` where it waits. */
function turns(wanted: Readonly<Record<string, Wanted>>): readonly string[] {
  const services = Object.entries(wanted).map(([key, { wave, alone, after }]) => {
    const service = aServiceObject('shop', key)
    const isOrdered = wave !== undefined || alone !== undefined || after !== undefined
    return isOrdered
      ? { ...service, order: { wave: wave ?? 0, isSequential: alone ?? false, after: after ?? [] } }
      : service
  })
  const steps = services.flatMap(({ key, name, position, spec }): readonly ServiceStep[] => {
    const action = wanted[key]?.action ?? 'update'
    return action === 'not planned' ? [] : [{ key, name, position, action, fields: [], spec }]
  })
  return turnsOf({ services }, steps).map(({ steps: together, awaits }) => {
    const names = together.map(({ key }) => key).join(' ')
    return awaits.size === 0 ? names : `${names} when ${[...awaits].sort().join(' ')}`
  })
}

for (const [what, wanted, expected] of [
  ['nothing', {}, ['']],
  ['no order', { a: {}, b: { action: 'none' }, c: { action: 'create' } }, ['a b c']],
  ['one wave is one turn', { a: { wave: 3 }, b: { wave: 3 } }, ['a b']],
  [
    'waves, services without one in wave 0',
    { a: { wave: 1 }, b: {}, c: { wave: -1 }, d: { action: 'create' } },
    ['c', 'b d when c', 'a when b c d'],
  ],
  ['what is left alone is awaited by later waves', { a: { action: 'none' }, b: { wave: 1 } }, ['a', 'b when a']],
  [
    'nothing is awaited where nothing is left to be written',
    { a: {}, b: { wave: 1, action: 'none' }, c: { wave: 2, action: 'none' } },
    ['a b c'],
  ],
  ['all is left alone', { a: { action: 'none' }, b: { wave: 1, action: 'none' } }, ['a b']],
  [
    'sequential ones by themselves, after the others',
    { a: { alone: true }, b: { alone: true }, c: {}, d: { action: 'none' } },
    ['c d', 'a when c', 'b when a c'],
  ],
  [
    'sequential ones are created together',
    { a: { alone: true, action: 'create' }, b: { alone: true, action: 'create' } },
    ['a b'],
  ],
  [
    'one that joins a cluster comes before the others change',
    { a: { alone: true }, b: { alone: true, action: 'create' } },
    ['b', 'a when b'],
  ],
  [
    'unchanged ones of the same wave do not hold up a sequential one: it may be what mends them',
    { a: { alone: true }, b: { action: 'none' } },
    ['a b'],
  ],
  [
    'dependencies first, whatever else is in the wave',
    { app: { after: ['db', 'disk'] }, db: { after: ['disk'] }, disk: { after: [] }, other: {} },
    ['disk other', 'db when disk other', 'app when db disk other'],
  ],
  [
    'what is depended on is awaited though it is left alone',
    { app: { after: ['job'] }, job: { after: [], action: 'none' }, other: { action: 'none' } },
    ['job other', 'app when job'],
  ],
  [
    'a sequential one goes before what depends on it',
    { app: { after: ['db'] }, db: { alone: true, after: [] } },
    ['db', 'app when db'],
  ],
  [
    'a service that is not among those to be written is not awaited',
    { app: { wave: 1, after: ['db'] }, db: { action: 'not planned' }, other: { action: 'not planned' } },
    ['app'],
  ],
  [
    'credentials and new tries are writes',
    { a: { action: 'retry' }, b: { wave: 1, action: 'credentials' } },
    ['a', 'b when a'],
  ],
] as const) {
  test(`turns: ${what}`, () => {
    assert.deepEqual(turns(wanted), expected)
  })
}
