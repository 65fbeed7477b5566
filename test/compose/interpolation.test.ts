// Variables: docker's grammar and casts, and what is said of those that are missing, wrong or hidden.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadTexts, problemLines, saidOf, serviceOf } from '../support/composeFiles.ts'

const variables = { A: '1', EMPTY: '', NAME: 'x', a: 'lower' }

for (const [text, value] of [
  ['${A}', '1'],
  ['$A$A', '11'],
  ['$$A', '$A'],
  ['$$$A', '$1'],
  ['${a}', 'lower'],
  ['$A.b', '1.b'],
  ['${UNSET:-b}', 'b'],
  ['${UNSET-b}', 'b'],
  ['${EMPTY:-b}', 'b'],
  ['${EMPTY-b}', ''],
  ['${A:-b}', '1'],
  ['${A:?b}', '1'],
  ['${A?b}', '1'],
  ['${EMPTY?b}', ''],
  ['${UNSET:-a:?b}', 'a:?b'],
  ['${UNSET:-${A}}', '1'],
  ['${UNSET:-${UNSET:-${A}}}', '1'],
  ['${UNSET:-a${A}b}c', 'a1bc'],
  ['${UNSET:-${EMPTY:-x}-$$y}', 'x-$y'],
  ['${A+b}', 'b'],
  ['${A:+b}', 'b'],
  ['${EMPTY+b}', 'b'],
  ['${EMPTY:+b}', ''],
  ['${UNSET+b}', ''],
  ['${A:+${NAME}}', 'x'],
  ['${UNSET:+${UNSET:?never asked}}', ''],
  ['$A+b', '1+b'],
  ['${UNSET:-$A}', '$A'],
  ['${UNSET-}', ''],
  ['$UNSET-foo bar', 'foo bar'],
  ['$A-x', '1'],
  ['${A:?a-b}', '1'],
] as const) {
  test(`"${text}" is "${value}"`, () => {
    assert.equal(serviceOf(`labels: {l: '${text}'}`, { variables }).labels.get('l'), value)
  })
}

for (const [text, said] of [
  ['${A*b}', 'the variable reference in "${A*b}" is not valid'],
  ['${UNSET:-${A}', 'the variable reference in "${UNSET:-${A}" is not valid'],
  ['${1}', 'the variable reference in "${1}" is not valid'],
  ['${A', 'the variable reference in "${A" is not valid'],
  ['a $ b', 'the variable reference in "a $ b" is not valid'],
  ['${UNSET:?set it}', 'the variable UNSET is required here, but it is not set: set it'],
  ['${EMPTY:?}', 'the variable EMPTY is required here, but it is not set'],
  ['${UNSET:?a}${A}', 'the variable UNSET is required here, but it is not set: a'],
  ['${UNSET:?set it - soon}', 'the variable UNSET is required here, but it is not set: set it - soon'],
  ['${GITHUB_TOKEN}', 'the variable GITHUB_TOKEN belongs to the runner or to this action, and no manifest may read it'],
  [
    '${INPUT_SECRETS:-x}',
    'the variable INPUT_SECRETS belongs to the runner or to this action, and no manifest may read it',
  ],
] as const) {
  test(`"${text}" is an error`, () => {
    const at = 14 + text.indexOf('$')
    assert.deepEqual(saidOf(`labels: {l: '${text}'}`, { variables }), [`error 4:${at + 4} ${said}`])
  })
}

test('an unset variable is a warning, once, where it first stands', () => {
  const result = loadTexts(['services:\n  a:\n    image: b\n    labels:\n      - x=a${NO}b$ALSO\n      - y=$NO\n'])
  assert.deepEqual(problemLines(result), [
    'warning 1.yml:5:12 the variable NO is not set, so it becomes empty text',
    'warning 1.yml:5:18 the variable ALSO is not set, so it becomes empty text',
  ])
})

test('a reference inside a default is judged at its own place', () => {
  assert.deepEqual(saidOf("labels: {l: '${UNSET:-a${GONE:?set it}}'}", { variables }), [
    'error 4:28 the variable GONE is required here, but it is not set: set it',
  ])
  assert.deepEqual(saidOf("labels: {l: '${UNSET:-$A}'}", { variables }), [
    'warning 4:27 "$A" inside a default stays as it is: only a reference in braces is replaced there',
  ])
})

test('a nested default that is not needed leaves its brace in free text, as with docker, and only there', () => {
  const nested = serviceOf(
    'labels: {l: "${A:-${NAME}}"}\nhostname: "${A:-${NAME}}"\nenvironment: ["E=${A:-${NAME}}"]',
    {
      variables,
    },
  )
  assert.deepEqual([nested.labels.get('l'), nested.environment.get('E'), nested.hostname], ['1}', '1}', '1'])
  assert.deepEqual(saidOf('labels: {l: "${A:-${NAME}}"}', { variables }), [
    'warning 4:18 the default inside the default of A is not needed, and what follows its first "}" stays behind the value, as with docker',
  ])
})

test('references nest 20 levels deep, and an endless nest ends', () => {
  const nest = (levels: number): string => `${'${UNSET:-'.repeat(levels)}x${'}'.repeat(levels)}`
  assert.equal(serviceOf(`labels: {l: '${nest(20)}'}`).labels.get('l'), 'x')
  assert.match(saidOf(`labels: {l: '${nest(100_000)}'}`).join(), /the variable reference in .* is not valid/)
})

test('the name of an unset variable comes along with the image', () => {
  const { stack } = loadTexts(['services: {a: {image: "b:${TAG}"}}'])
  assert.deepEqual([stack?.services[0]?.image, stack?.services[0]?.imageVariables], ['b:', ['TAG']])
})

test('messages show the text of the file, never the value of a variable', () => {
  const said = saidOf('stop_grace_period: ${SECRET}', { variables: { SECRET: 'hunter2' } })
  assert.deepEqual(said, ['error 4:24 services.a.stop_grace_period: "${SECRET}" is not a duration'])
})

test('keys are not interpolated', () => {
  assert.deepEqual([...serviceOf("labels: {'${A}': c}", { variables }).labels.keys()], ['${A}'])
})

const cast = { variables: { N: '0440', B: 'Yes', F: '.5', X: 'x' } }

test('interpolated numbers and booleans are cast, numbers as decimal ones', () => {
  const service = serviceOf(
    'tty: "${B}"\ndeploy: {replicas: "${N}", update_config: {max_failure_ratio: "${F}"}}\nsecrets: [{source: s, mode: "${N}"}]',
    cast,
  )
  assert.equal(service.tty, true)
  assert.equal(service.deploy.replicas, 440)
  assert.equal(service.deploy.updateConfig?.maxFailureRatio, 0.5)
  assert.equal(service.secrets[0]?.mode, 440)
})

test('what docker does not cast stays text, and is refused', () => {
  assert.match(saidOf('init: "${B}"', cast).join(), /services\.a\.init must be a boolean/)
  assert.match(
    saidOf('deploy: {replicas: "5"}').join(),
    /deploy\.replicas must be a whole number, but it is the string "5"/,
  )
})

test('a cast that fails names the text and not the value', () => {
  assert.deepEqual(saidOf('tty: "${X}"', cast), [
    'error 4:10 the value that "${X}" stands for must be true or false, and is not',
  ])
  assert.match(saidOf('tty: "${NO}"').join('\n'), /because NO is not set/)
})
