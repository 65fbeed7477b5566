import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromJson, toJson } from '../../src/engine/json.ts'

const rows: readonly (readonly [text: string, value: unknown])[] = [
  ['9007199254740993', 9007199254740993n],
  ['-9007199254740993', -9007199254740993n],
  ['[9223372036854775807,1]', [9223372036854775807n, 1]],
  ['{"a":{"b":18446744073709551615}}', { a: { b: 18446744073709551615n } }],
  ['9007199254740991', 9007199254740991],
  ['{"t":"9007199254740993"}', { t: '9007199254740993' }],
  [
    '{"t":"a \\"9007199254740993\\" b \\\\","n":9007199254740993}',
    { t: 'a "9007199254740993" b \\', n: 9007199254740993n },
  ],
  ['{"9007199254740993":1}', { '9007199254740993': 1 }],
  ['[0.1234567890123456,1]', [0.1234567890123456, 1]],
]

for (const [text, value] of rows) {
  test(`${text} is read and written exactly`, () => {
    assert.deepEqual(fromJson(text), value)
    assert.equal(toJson(value), text)
  })
}

test('exponents stay doubles, and what is no JSON is refused', () => {
  assert.equal(fromJson('12345678901234567e3'), 12345678901234567e3)
  for (const text of ['{"a":9007199254740993', '{"a', '9007199254740993"', '{a:9007199254740993}']) {
    assert.throws(() => fromJson(text), SyntaxError, text)
  }
})

test('undefined members are left out', () => {
  assert.equal(toJson({ a: undefined, b: 2n ** 60n }), '{"b":1152921504606846976}')
})

test('anything that JSON can hold comes back as it was, 64-bit integers too', () => {
  const big = fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n })
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      big,
      fc.string({ unit: 'grapheme' }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('node')),
      fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        tie('node'),
        { noNullPrototype: true },
      ),
    ),
  })).node
  fc.assert(
    fc.property(tree, (value) => assert.deepEqual(fromJson(toJson(value)), value)),
    { numRuns: 300 },
  )
})
