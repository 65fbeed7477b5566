import assert from 'node:assert/strict'
import { test } from 'node:test'
import { variablesOf } from '../../src/inputs/variables.ts'

const NOTHING = new Map<string, string>()

test('secrets win over variables, those over env files, those over the environment', () => {
  const inputs = {
    secrets: new Map([['A', 'secret']]),
    variables: new Map([
      ['A', 'variable'],
      ['B', 'variable'],
    ]),
    inheritEnvironment: true,
  }
  const files = new Map([
    ['A', 'file'],
    ['B', 'file'],
    ['C', 'file'],
  ])
  const variables = variablesOf(inputs, { A: 'env', B: 'env', C: 'env', D: 'env' }, files)
  assert.deepEqual(
    ['A', 'B', 'C', 'D', 'E'].map((name) => variables.get(name)),
    ['secret', 'variable', 'file', 'env', undefined],
  )
})

test('an empty value is a value', () => {
  const inputs = { secrets: NOTHING, variables: new Map([['A', '']]), inheritEnvironment: true }
  assert.equal(variablesOf(inputs, { A: 'env' }, NOTHING).get('A'), '')
})

test('inherit-environment: false leaves only what is given', () => {
  const inputs = { secrets: NOTHING, variables: NOTHING, inheritEnvironment: false }
  assert.equal(variablesOf(inputs, { A: 'env' }, NOTHING).get('A'), undefined)
})

test('what the runner hands to actions is hidden in every source', () => {
  const hidden = [
    ...['INPUT_SSH-KEY', 'INPUT_X', 'ACTIONS_RUNTIME_TOKEN', 'STATE_x', 'GITHUB_TOKEN', 'GH_TOKEN', 'SSH_AUTH_SOCK'],
    'DOCKER_AUTH_CONFIG',
  ]
  const all = new Map(hidden.map((name) => [name, 'seen']))
  const env = Object.fromEntries(all)
  const variables = variablesOf({ secrets: all, variables: all, inheritEnvironment: true }, env, all)
  for (const name of hidden) {
    assert.equal(variables.get(name), undefined, name)
    assert.equal(variables.isHidden(name), true, name)
  }
  for (const name of ['GITHUB_SHA', 'INPUT', 'MY_GITHUB_TOKEN', 'input_x'])
    assert.equal(variables.isHidden(name), false)
})

test('a name of JavaScript’s own objects is no variable', () => {
  const variables = variablesOf({ secrets: NOTHING, variables: NOTHING, inheritEnvironment: true }, {}, NOTHING)
  for (const name of ['constructor', 'toString', '__proto__']) assert.equal(variables.get(name), undefined)
})
