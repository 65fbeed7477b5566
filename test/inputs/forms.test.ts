import assert from 'node:assert/strict'
import { test } from 'node:test'
import { duration } from '../../src/inputs/duration.ts'
import type { Form } from '../../src/inputs/form.ts'
import { listItems } from '../../src/inputs/list.ts'
import { map } from '../../src/inputs/map.ts'
import { boolean, count, wordOr } from '../../src/inputs/scalar.ts'

/** The value, or the faults' words. */
function outcome<T>(form: Form<T>, text: string): T | readonly string[] {
  const result = form(text)
  return result.ok ? result.value : result.faults.map((fault) => fault.what)
}

test('durations are Go’s, in milliseconds, and a bare number is seconds', () => {
  const cases: Readonly<Record<string, number>> = {
    ...{ '90': 90_000, '0': 0, '1.5': 1_500, '90s': 90_000, '5m': 300_000, '1h30m': 5_400_000, '1.5h': 5_400_000 },
    ...{ '250ms': 250, '1us': 0.001, '1µs': 0.001, '1μs': 0.001, '.5s': 500, '1.s': 1_000, '1m1m': 120_000 },
    ...{ ' 2s ': 2_000, '0s': 0, '2562047h': 2_562_047 * 3_600_000 },
  }
  for (const [text, expected] of Object.entries(cases)) {
    assert.equal(outcome(duration('zero allowed'), text), expected, text)
  }
})

test('what Go would not read as a duration is refused', () => {
  for (const text of [
    '-5s',
    '5 m',
    '5d',
    '1h30',
    's',
    '.',
    '.s',
    '1e3s',
    '5M',
    '1,5s',
    '٣s',
    '2562048h',
    '9'.repeat(400),
  ]) {
    assert.deepEqual(outcome(duration('zero allowed'), text), [
      `${JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)} is no duration`,
    ])
  }
})

test('booleans are those of YAML 1.2, not of 1.1', () => {
  for (const text of ['true', 'True', 'TRUE', ' true\n']) assert.equal(outcome(boolean, text), true)
  for (const text of ['false', 'False', 'FALSE']) assert.equal(outcome(boolean, text), false)
  for (const text of ['yes', 'no', 'on', 'off', '1', '0', 'tRUE', 'y', 'null']) {
    assert.deepEqual(outcome(boolean, text), [`${JSON.stringify(text)} is no boolean`])
  }
})

test('a form with a word of its own says so', () => {
  assert.equal(outcome(wordOr('auto', boolean), ' auto\n'), 'auto')
  assert.equal(outcome(wordOr('auto', boolean), 'true'), true)
  assert.deepEqual(outcome(wordOr('auto', boolean), 'AUTO'), ['"AUTO" is no boolean, and not `auto`'])
  assert.deepEqual(outcome(wordOr('auto', count(10)), '11'), ['"11" is no whole number from 0 to 10, and not `auto`'])
})

test('a list has one item a line, comments and blanks aside', () => {
  assert.deepEqual(listItems('a\r\n\n# no\n  b c # kept\r  #no\n'), [
    { line: 1, text: 'a' },
    { line: 4, text: 'b c # kept' },
  ])
})

test('a map takes lines, blocks and JSON', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['A=1', { A: '1' }],
    ['A=', { A: '' }],
    ['A= spaced "kept" # too ', { A: ' spaced "kept" # too ' }],
    ['A=b=c<<d', { A: 'b=c<<d' }],
    ['  A = x', { A: ' x' }],
    ['# A=1\n\n  # B=2\nC=3\r\nD=4', { C: '3', D: '4' }],
    ['K<<EOF\nfirst\n\n  A=no\n# kept\nEOF\nB=2', { K: 'first\n\n  A=no\n# kept', B: '2' }],
    ['K<<EOF\nEOF', { K: '' }],
    ['K<<a=b\nx\na=b', { K: 'x' }],
    ['{"A": "x\\ny", "B": 7, "C": true, "D": ""}', { A: 'x\ny', B: '7', C: 'true', D: '' }],
    [' \n {"TAG": 1.10, "ID": 12345678901234567890}', { TAG: '1.10', ID: '12345678901234567890' }],
    ['{}', {}],
  ]
  for (const [text, expected] of cases) {
    const value = outcome(map, text)
    assert.ok(value instanceof Map, `${text}: ${String(value)}`)
    assert.deepEqual(Object.fromEntries(value), expected, text)
  }
})

test('a faulty map names lines and no text', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['A=1\nhunter2\nB=2\nhunter3', ['line 2 is not KEY=value', 'line 4 is not KEY=value']],
    ['=hunter2', ['line 1 has no usable name before "="']],
    ['MY KEY=hunter2', ['line 1 has no usable name before "="']],
    ['A=1\nA=2', ['line 2 gives a name a second time']],
    ['A=1\nK<<EOF\nhunter2\n', ['line 2 begins a value of several lines that does not end']],
    ['K<<\nhunter2', ['line 1 begins a value of several lines that does not end']],
    [
      '{"A": {"hunter2": 1}, "B": null, "": 1}',
      [
        'line 1, column 2: the value of the entry is no text, number or boolean',
        'line 1, column 23: the value of the entry is no text, number or boolean',
        'line 1, column 34: the entry has no usable name',
      ],
    ],
    ['{"A": 1,\n "A": 2}', ['line 2, column 2: the entry gives a name a second time']],
    [
      '\n{"A": "hunter2",\n "B": hunter2}',
      [
        'it begins with "{" and is no JSON object: line 3, column 7 should have a value: a text in double quotes, a number, true or false',
      ],
    ],
    ['{', ['it begins with "{" and is no JSON object: line 1, column 2 should have a name in double quotes']],
  ]
  for (const [text, expected] of cases) assert.deepEqual(outcome(map, text), expected, text)
})
