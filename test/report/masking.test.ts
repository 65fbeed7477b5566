import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMasking, type NamedSecrets } from '../../src/report/masking.ts'
import { createRedactor } from '../../src/report/redactor.ts'

/** What the runner is told, and what is said, when these are masked one list after the other. */
function masked(...lists: readonly NamedSecrets[]) {
  const hidden: string[] = []
  const said: string[] = []
  const mask = createMasking(
    createRedactor(),
    (form) => hidden.push(form),
    ({ severity, message, remedy }) => said.push(`${severity}: ${message} | ${remedy}`),
  )
  lists.forEach(mask)
  return { hidden, said }
}

test('wherever a secret comes from: one too short to be masked is named, once', () => {
  const { hidden, said } = masked(
    [
      ['PIN in `secrets`', '123'],
      ['LONG in `secrets`', 'correct horse'],
      ['SAME in `secrets`', ' 123\n'],
      ['NONE in `secrets`', ''],
    ],
    [['the secret token', Buffer.from('abc')]],
    [
      ['the login for ghcr.io', 'pw'],
      ['the login for ghcr.io', '123'],
    ],
    [['the secret token', Buffer.from('abc')]],
  )
  const warning = (names: string): string =>
    `warning: too short to be masked, so it may show in the log: ${names} | Use 4 characters or more.`
  assert.deepEqual(said, [
    warning('PIN in `secrets`, SAME in `secrets`'),
    warning('the secret token'),
    warning('the login for ghcr.io'),
  ])
  assert.ok(hidden.includes('correct horse'))
  for (const short of ['123', 'abc', 'pw']) assert.ok(!hidden.includes(short))
})
