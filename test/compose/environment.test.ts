// Env files, `environment`, and the step's variables.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDotenv, parseDotenvText } from '../../src/compose/dotenv.ts'
import { loadStack } from '../../src/compose/load.ts'
import { workspaceFiles } from '../../src/compose/workspaceFiles.ts'
import { memoryFiles, saidOf, serviceOf } from '../support/composeFiles.ts'

test('later env files before earlier ones, `environment` before both, the step where nothing is given', () => {
  const { environment } = serviceOf(
    'env_file: [one.env, two.env]\nenvironment:\n  OWN: own\n  EMPTY: ""\n  NOTHING:\n  NOWHERE:\n  QUIET: ""\n',
    {
      beside: { 'one.env': 'A=1\nB=1\nOWN=file\nNOWHERE=file\n', 'two.env': 'B=2\nFROM_STEP\nGONE\n' },
      variables: { EMPTY: 'step', NOTHING: 'step', FROM_STEP: 'step', A: 'step' },
    },
  )
  assert.deepEqual(
    [...environment].sort(),
    Object.entries({
      A: '1',
      B: '2',
      EMPTY: 'step',
      FROM_STEP: 'step',
      NOWHERE: null,
      NOTHING: 'step',
      OWN: 'own',
      QUIET: '',
    }).sort(),
  )
})

test('an env file is read verbatim: quotes, dollars, blanks at the end, CRLF', () => {
  const text = '\ufeff# comment\n\n  A="b" $C \r\nB=1=2\n#X=1\nE=\n'
  const { environment } = serviceOf('env_file: x.env', { beside: { 'x.env': text } })
  assert.deepEqual([...environment], Object.entries({ A: '"b" $C ', B: '1=2', E: '' }))
})

test('env files as mappings: one that need not exist may be missing, and they are read like the others', () => {
  const files =
    'env_file:\n  - path: ./one.env\n    format: raw\n  - {path: gone.env, required: false}\n  - {path: two.env, required: true}'
  const { environment } = serviceOf(files, { beside: { 'one.env': 'A="1"\nB=1\n', 'two.env': 'B=2\n' } })
  assert.deepEqual([...environment], Object.entries({ A: '"1"', B: '2' }))
  assert.deepEqual(
    saidOf('env_file: [{path: gone.env}, {path: lost.env, required: "${NO}"}]', { variables: { NO: 'no' } }),
    ['error 4:23 the env file "gone.env" does not exist'],
  )
})

test('an env file that need not exist must still be inside the workspace', () => {
  const result = loadStack({
    files: ['problems.test.ts'],
    variables: { get: () => undefined, isHidden: () => false },
    readFile: (path) =>
      path.endsWith('.test.ts')
        ? {
            absolute: '/w/a.yml',
            shown: 'a.yml',
            content: Buffer.from('services: {a: {image: b, env_file: [{path: ../../etc/nope, required: false}]}}'),
          }
        : workspaceFiles({ workspace: import.meta.dirname })(path),
  })
  assert.match(result.problems.map(({ message }) => message).join(), /is outside the workspace/)
})

test('list items are split at the first =, and the last of a key counts', () => {
  const { environment } = serviceOf('environment: ["A=1", "A=2", "B = x=y", "=v", C]')
  assert.deepEqual(
    [...environment],
    [
      ['A', '2'],
      ['B ', ' x=y'],
      ['', 'v'],
      ['C', null],
    ],
  )
})

for (const [name, body, beside, said] of [
  [
    'export',
    'env_file: x.env',
    { 'x.env': 'A=1\nexport B=hunter2\n' },
    'error x.env:2:1 the env file "x.env", line 2: the name of the variable contains a blank',
  ],
  [
    'no name',
    'env_file: x.env',
    { 'x.env': '=hunter2\n' },
    'error x.env:1:1 the env file "x.env", line 1: there is no name before the "="',
  ],
  ['a missing file', 'env_file: x.env', {}, 'error 4:15 the env file "x.env" does not exist'],
  [
    'a NUL byte',
    'env_file: x.env',
    { 'x.env': 'A=\0' },
    'error x.env:1:3 the env file "x.env" can not be used: the file has a NUL byte here, which no manifest may contain',
  ],
  [
    'a hidden name',
    'environment: [GITHUB_TOKEN]',
    {},
    'error 4:19 the variable GITHUB_TOKEN belongs to the runner or to this action, and no manifest may read it',
  ],
  [
    'a hidden name in a file',
    'env_file: x.env',
    { 'x.env': 'INPUT_SECRETS\n' },
    'error x.env:1:1 the env file "x.env", line 1: the variable INPUT_SECRETS belongs to the runner or to this action, and no manifest may read it',
  ],
] as const) {
  test(`refused: ${name}`, () => assert.deepEqual(saidOf(body, { beside }), [said]))
}

test('every faulty line of an env file is told, each at its place there, and once', () => {
  const beside = { 'x.env': 'GITHUB_TOKEN\nA=1\n=hunter2\nINPUT_X=\nINPUT_Y\n=\n' }
  const said = saidOf('env_file: [x.env, ./x.env]', { beside })
  assert.deepEqual(
    said.map((one) => one.replace(/(line \d: (?:the variable \S+|there is no name)).*/, '$1')),
    [
      'error x.env:1:1 the env file "x.env", line 1: the variable GITHUB_TOKEN',
      'error x.env:3:1 the env file "x.env", line 3: there is no name',
      'error x.env:4:1 the env file "./x.env", line 4: the variable INPUT_X',
      'error x.env:5:1 the env file "x.env", line 5: the variable INPUT_Y',
      'error x.env:6:1 the env file "x.env", line 6: there is no name',
    ],
  )
})

test('a hidden name with a value of its own is no look-up', () => {
  assert.equal(serviceOf('environment: {GITHUB_TOKEN: mine}').environment.get('GITHUB_TOKEN'), 'mine')
  const beside = { 'x.env': 'GITHUB_TOKEN=mine\n' }
  assert.equal(serviceOf('env_file: x.env', { beside }).environment.get('GITHUB_TOKEN'), 'mine')
})

for (const [text, values] of [
  ['A=1\n# c\n\nexport B=2\r\nC = 3 \n', { A: '1', B: '2', C: '3' }],
  ['A=b # c\nB=b#c\nC=#c\nD=\n', { A: 'b', B: 'b#c', C: '', D: '' }],
  ['A="b # c" # d\nB=\'$x "y"\'\n', { A: 'b # c', B: '$x "y"' }],
  ['A="a\\nb\\"\\\\\\$c\\d"\n', { A: 'a\nb"\\$c\\d' }],
  ["A='a\\nb'\n", { A: 'a\\nb' }],
  ['A="one\ntwo"\nB=3\n', { A: 'one\ntwo', B: '3' }],
  ["A='-----BEGIN\nxyz\n-----END'\n", { A: '-----BEGIN\nxyz\n-----END' }],
  ['A=1\nA=2\n', { A: '2' }],
  ['A=$B ${C}\n', { A: '$B ${C}' }],
] as const) {
  test(`dotenv ${JSON.stringify(text)}`, () => {
    const { variables, errors } = parseDotenvText(text, () => false)
    assert.deepEqual(errors, [])
    assert.deepEqual(Object.fromEntries(variables), values)
  })
}

test('errors of a dotenv file name lines, never their text', () => {
  const files = memoryFiles({ '.env': 'A=1\nhunter2\n1X=hunter2\nB="hunter2" x\nC="hunter2\n' })
  const { problems } = parseDotenv('.env', files, () => false)
  assert.deepEqual(
    problems.map(({ message, position, severity }) => [severity, position?.line, message]),
    [
      ['error', 2, 'the env file .env, line 2: it is no assignment'],
      ['error', 3, 'the env file .env, line 3: it is no assignment'],
      ['error', 4, 'the env file .env, line 4: there is text after the closing quote'],
      ['error', 5, 'the env file .env, line 5: the quote that begins the value is never closed'],
    ],
  )
  assert.ok(!JSON.stringify(problems).includes('hunter2'))
})

test('a name that no manifest can see is told, each time', () => {
  const files = memoryFiles({ '.env': 'A=1\nexport GITHUB_TOKEN="hunter2\nhunter2"\nINPUT_A=hunter2\n' })
  const { problems } = parseDotenv('.env', files, (name) => name !== 'A')
  assert.deepEqual(
    problems.map(({ message, position }) => [position, message.replace(/,? as it .*/, '')]),
    [
      [{ file: '.env', line: 2, column: 1 }, 'the env file .env, line 2: no manifest can see GITHUB_TOKEN'],
      [{ file: '.env', line: 4, column: 1 }, 'the env file .env, line 4: no manifest can see INPUT_A'],
    ],
  )
  assert.ok(!JSON.stringify(problems).includes('hunter2'))
})

test('a dotenv file that is missing', () => {
  assert.deepEqual(
    parseDotenv('x.env', memoryFiles({}), () => false).problems.map(({ message }) => message),
    ['the env file x.env does not exist'],
  )
})
