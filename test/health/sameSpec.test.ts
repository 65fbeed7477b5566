import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sameSpec } from '../../src/health/sameSpec.ts'

const table: readonly (readonly [boolean, unknown, unknown])[] = [
  [true, {}, { Env: null, Args: [], Init: false, Force: 0, Resources: { Limits: {} } }],
  [true, { Env: ['A=1'] }, { Env: ['A=1'], Labels: {} }],
  [false, { Env: ['A=1', 'B=2'] }, { Env: ['B=2', 'A=1'] }],
  [false, { Image: 'a:1' }, { Image: 'a:2' }],
  [true, { Memory: 5n }, { Memory: 5 }],
  [false, { Memory: 9007199254740993n }, { Memory: 9007199254740992n }],
  [true, { Ratio: 0.5 }, { Ratio: 0.5 }],
  [false, { Ratio: 0.5 }, { Ratio: 0.25 }],
  [false, { Init: true }, {}],
  [false, { A: ['x'] }, { A: { 0: 'x' } }],
]

for (const [same, left, right] of table) {
  test(`${text(left)} and ${text(right)} mean ${same ? 'the same' : 'different things'}`, () => {
    assert.equal(sameSpec(left, right), same)
    assert.equal(sameSpec(right, left), same)
  })
}

function text(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item))
}
