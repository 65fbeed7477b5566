import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { INPUTS } from '../src/inputs/table.ts'
import { OUTPUT_NAMES } from '../src/report/outputs.ts'

interface Declared {
  readonly description: string
  readonly required?: boolean
  readonly default?: unknown
}

const action = parse(readFileSync(new URL('../action.yml', import.meta.url), 'utf8')) as {
  readonly inputs: Readonly<Record<string, Declared>>
  readonly outputs: Readonly<Record<string, Declared>>
  readonly runs: unknown
  readonly branding: unknown
}

test('action.yml declares exactly the inputs of the table, in its order', () => {
  assert.deepEqual(Object.keys(action.inputs), Object.keys(INPUTS))
})

test('every default in action.yml is the one in the code, as text', () => {
  const declared = Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ''])
  assert.deepEqual(
    declared,
    Object.entries(INPUTS).map(([name, row]) => [name, row.default]),
  )
})

test('every default can be read by its own form', () => {
  for (const [name, row] of Object.entries(INPUTS)) {
    if (row.default !== '') assert.equal(row.form(row.default).ok, true, name)
  }
})

test('no input is required: the runner does not enforce it, so the code does', () => {
  for (const [name, input] of Object.entries(action.inputs)) assert.equal(input.required, false, name)
})

test('action.yml declares exactly the outputs of the code', () => {
  assert.deepEqual(Object.keys(action.outputs), OUTPUT_NAMES)
})

test('it runs on Node 24 and has a face on the Marketplace', () => {
  assert.deepEqual(action.runs, { using: 'node24', main: 'dist/index.js' })
  assert.deepEqual(action.branding, { icon: 'layers', color: 'blue' })
})
