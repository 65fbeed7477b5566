import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unknownServices } from '../../src/commands/chosenServices.ts'
import type { Service } from '../../src/compose/stack.ts'

const stack = { services: ['api', 'web', 'worker'].map((name) => ({ name }) as Service), inactive: ['debug'] }

test('names of services that the manifest does not have are refused, with what was probably meant', () => {
  const cases: readonly (readonly [Parameters<typeof unknownServices>[0], readonly string[]])[] = [
    [{ services: undefined, force: false }, []],
    [{ services: ['web'], force: true }, []],
    [{ services: ['web', 'api'], force: ['api'] }, []],
    [
      { services: ['wrker', 'shop_web'], force: false },
      [
        'the input `services` names a service "wrker", which the manifest does not have (did you mean "worker"?)',
        'the input `services` names a service "shop_web", which the manifest does not have',
      ],
    ],
    [
      { services: ['debug'], force: false },
      ['the input `services` names the service "debug", and none of its profiles is active'],
    ],
    [
      { services: undefined, force: ['API'] },
      ['the input `force` names a service "API", which the manifest does not have (did you mean "api"?)'],
    ],
    [
      { services: ['web'], force: ['web', 'api', 'nope'] },
      [
        'the input `force` names a service "nope", which the manifest does not have',
        'the input `force` names the service "api", which the input `services` leaves alone',
      ],
    ],
  ]
  for (const [inputs, expected] of cases) {
    const problems = unknownServices(inputs, stack)
    assert.deepEqual(
      problems.map(({ message }) => message),
      expected,
    )
    for (const { severity, code, remedy } of problems)
      assert.deepEqual([severity, code, remedy !== undefined], ['error', 'input', true])
  }
  assert.match(
    unknownServices({ services: ['x'], force: false }, stack)[0]?.remedy ?? '',
    /^Its services are api, web, worker\./,
  )
})
