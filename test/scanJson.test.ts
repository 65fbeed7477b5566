import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeIn, scanJson } from '../src/scanJson.ts'

/** `line 1, column 2: a colon`, or the entries. */
function answerOf(text: string): unknown {
  const scanned = scanJson(text)
  return 'wanted' in scanned
    ? `${placeIn(text, scanned.at)}: ${scanned.wanted}`
    : scanned.map(({ name, token, at }) => [name, token, placeIn(text, at)])
}

test('the entries of an object come in their order, with their texts and places', () => {
  assert.deepEqual(answerOf('{}'), [])
  assert.deepEqual(
    answerOf(' {"b": 1.10,\r\n "1": "x\\"y" ,"b":true,\n\n  "deep": {"a": [1, {"b": "]"}]}, "n":null}\n'),
    [
      ['b', '1.10', 'line 1, column 3'],
      ['1', '"x\\"y"', 'line 2, column 2'],
      ['b', 'true', 'line 2, column 15'],
      ['deep', undefined, 'line 4, column 3'],
      ['n', 'null', 'line 4, column 35'],
    ],
  )
})

for (const [text, expected] of [
  ['', 'line 1, column 1: a value'],
  ['{', 'line 1, column 2: a name in double quotes'],
  ['{"A": 1,}', 'line 1, column 9: a name in double quotes'],
  ['{"A": 1\n "B": 2}', 'line 2, column 2: a comma or `}`'],
  ['{"A" 1}', 'line 1, column 6: a colon'],
  ['{"A":\n\n  hunter2}', 'line 3, column 3: a value'],
  ['{"A": 01}', 'line 1, column 7: a value'],
  ['{"A": tru}', 'line 1, column 7: a value'],
  ["{'A': 1}", 'line 1, column 2: a name in double quotes'],
  ['{"A": [1, 2}', 'line 1, column 12: a comma or `]`'],
  ['{"A": 1} x', 'line 1, column 10: nothing more'],
  ['{"A": "two\nlines"}', 'line 1, column 7: a text that ends with a quote, and has `\\n` for a line break'],
  ['{"A": "C:\\dir"}', 'line 1, column 7: a text that ends with a quote'],
  ['{"A\n": 1}', 'line 1, column 2: a text that ends with a quote'],
] as const) {
  test(`no JSON: ${JSON.stringify(text)}`, () => {
    const said = String(answerOf(text))
    assert.ok(said.startsWith(expected), said)
    assert.ok(!said.includes('hunter2'))
  })
}

test('what it takes is what the runtime takes, and neither depth nor length is a matter', () => {
  const whole = '{"a": [1, -2.5e+3, {"b": null}], "c": "\\u00e9\\n", "d": {"e": [], "f": {}}, "g": false}'
  const pieces = ['', '"', '\\', ',', ':', '{', '}', '[', ']', '0', '-', '.', 'e', 'x', ' ', '\n', 'true', '\u0007']
  const isTaken = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  let refused = 0
  for (let at = 0; at < whole.length; at++) {
    for (const piece of pieces) {
      for (const end of [at, at + 1]) {
        const text = whole.slice(0, at) + piece + whole.slice(end)
        const scanned = scanJson(text)
        assert.equal(!('wanted' in scanned), isTaken(text), text)
        if ('wanted' in scanned) refused++
      }
    }
  }
  assert.ok(refused > 1000, String(refused))
  const deep = `{"a": ${'['.repeat(60_000)}${']'.repeat(60_000)}}`
  assert.deepEqual(answerOf(deep), [['a', undefined, 'line 1, column 2']])
  const long = `{"a": "${'x\\n'.repeat(300_000)}"}`
  assert.ok(!('wanted' in scanJson(long)))
})
