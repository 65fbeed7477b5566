// What YAML's scalars become, measured on the docker CLI 28.2.2: as environment value, and where a text is wanted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadTexts, problemLines, serviceOf } from '../support/composeFiles.ts'

/** The source; the environment value (undefined: refused); whether it is a text where only text is allowed. */
const scalars: readonly (readonly [source: string, value: string | null | undefined, text: boolean])[] = [
  ['yes', 'yes', true],
  ['on', 'on', true],
  ['n', 'n', true],
  ['NO', 'NO', true],
  ['true', 'true', false],
  ['False', 'false', false],
  ['TRUE', 'true', false],
  ['~', null, false],
  ['null', null, false],
  ['NULL', null, false],
  ['', null, false],
  ['0123', '83', false],
  ['-0777', '-511', false],
  ['0o17', '15', false],
  ['0x1F', '31', false],
  ['0X1f', '31', false],
  ['0b11', '3', false],
  ['+0b1', '1', false],
  ['0b2', '0b2', true],
  ['1e3', '1000', false],
  ['1E3', '1000', false],
  ['1_000', '1000', false],
  ['1__0', '10', false],
  ['12:30', '12:30', true],
  ['190:20:30', '190:20:30', true],
  ['2024-01-01', '2024-01-01 00:00:00 +0000 UTC', false],
  ['2001-12-14t21:59:43.10-05:00', '2001-12-14 21:59:43.1 -0500 -0500', false],
  ['2024-01-01 10:00:00', '2024-01-01 10:00:00 +0000 UTC', false],
  ['2001-1-1 1:2:3,5', '2001-01-01 01:02:03.5 +0000 UTC', false],
  ['2001-12-14T21:59:43+00:00', '2001-12-14 21:59:43 +0000 UTC', false],
  ['2024-02-30', '2024-02-30', true],
  ['2024-01-01T10:00:00', '2024-01-01T10:00:00', true],
  ['1.10', '1.1', false],
  ['1.0', '1', false],
  ['1.', '1', false],
  ['.5', '0.5', false],
  ['-.5', '-0.5', false],
  ['.5_0', '0.5', false],
  ['-0', '0', false],
  ['-0.0', '-0', false],
  ['+1.5', '1.5', false],
  ['.inf', undefined, false],
  ['-.INF', undefined, false],
  ['.NaN', undefined, false],
  ['9007199254740993', '9007199254740993', false],
  ['9223372036854775808', '9223372036854775808', false],
  ['18446744073709551615', '18446744073709551615', false],
  ['18446744073709551616', '1.8446744073709552e+19', false],
  ['-9223372036854775808', '-9223372036854775808', false],
  ['999999.0', '999999', false],
  ['1000000.0', '1e+06', false],
  ['123456789.0', '1.23456789e+08', false],
  ['0.1e-7', '1e-08', false],
  ['0.0001', '0.0001', false],
  ['0.00001', '1e-05', false],
  ['1e21', '1e+21', false],
  ['1e400', '1e400', true],
  ['0.30000000000000004', '0.30000000000000004', false],
  ['=', '=', true],
  ['<<', '<<', true],
  ['08', '8', false],
  ['0x', '0x', true],
  ['1e', '1e', true],
  ['--', '--', true],
  ['+', '+', true],
  ['!!str 1', '1', true],
  ['!!binary aGk=', 'hi', true],
  ['!!binary "@@"', undefined, false],
  ['!!int "7"', '7', false],
  ['!!int abc', undefined, false],
  ['!!int 1.5', undefined, false],
  ['!!float 1', '1', false],
  ['!!float 0x10', '16', false],
  ['!!timestamp "2001-01-01"', '2001-01-01 00:00:00 +0000 UTC', false],
  ['!!null ""', null, false],
  ['!foo 12', '12', true],
  ['! 12', '12', true],
  ['"0123"', '0123', true],
  ["'yes'", 'yes', true],
  ['"a\\tb"', 'a\tb', true],
  ['a # c', 'a', true],
  ['a#c', 'a#c', true],
  ['"a"#c', 'a', true],
  ['@x', undefined, false],
  ['`x', undefined, false],
  ['"\\d"', undefined, false],
]

for (const [source, value, isText] of scalars) {
  test(`the scalar ${source === '' ? '(empty)' : source}`, () => {
    const file = (key: string): string => `services:\n  a:\n    image: b\n    ${key}\n`
    const environment = loadTexts([file(`environment:\n      Z: ${source}`)])
    assert.deepEqual(environment.stack?.services[0]?.environment.get('Z'), value, problemLines(environment).join('\n'))
    const hostname = loadTexts([file(`hostname: ${source}`)])
    assert.equal(hostname.stack !== undefined, isText, problemLines(hostname).join('\n'))
  })
}

test('an item of a list is text as it stands', () => {
  assert.equal(serviceOf('environment:\n  - Z=0123').environment.get('Z'), '0123')
})

test('numbers beyond a double stay exact', () => {
  const { deploy, ulimits } = serviceOf('deploy: {replicas: 9007199254740993}\nulimits: {nofile: 9223372036854775807}')
  assert.equal(deploy.replicas, 9007199254740993n)
  assert.equal(ulimits.get('nofile')?.hard, 9223372036854775807n)
})
