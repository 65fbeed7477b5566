// `include`: other files with their own folders and variables.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadTexts, problemLines } from '../support/composeFiles.ts'

test('what is included is there, with paths from its own folder', () => {
  const { stack, problems } = loadTexts(['include: [sub/db.yml]\nservices: {web: {image: b}}\n'], {
    beside: {
      'sub/db.yml':
        'name: other\nservices: {db: {image: c, env_file: db.env, volumes: ["./data:/data"]}}\nnetworks: {n: }\nsecrets: {s: {file: s.txt}}\n',
      'sub/db.env': 'A=1\n',
      'sub/s.txt': 'x',
    },
  })
  assert.deepEqual(problems, [])
  const db = stack?.services.find(({ name }) => name === 'db')
  assert.deepEqual(
    stack?.services.map(({ name }) => name),
    ['db', 'web'],
  )
  assert.deepEqual([...(db?.environment ?? [])], [['A', '1']])
  assert.equal(db?.volumes[0]?.source, '/w/sub/data')
  assert.deepEqual([stack?.name, stack?.networks.has('n'), stack?.secrets.has('s')], [undefined, true, true])
})

test('several paths are merged, a project directory moves relative paths, an env file is for variables', () => {
  const { stack } = loadTexts(
    [
      'include:\n  - path: [sub/a.yml, over.yml]\n    project_directory: other\n    env_file: sub/values.env\nservices: {}\n',
    ],
    {
      variables: { SET: 'outer' },
      beside: {
        'sub/a.yml': 'services: {db: {image: "c:${TAG}", hostname: "${SET}", env_file: db.env}}\n',
        'over.yml': 'services: {db: {user: "1"}}\n',
        'other/db.env': 'A=1\n',
        'sub/values.env': 'TAG=9\nSET=inner\n',
      },
    },
  )
  const db = stack?.services[0]
  assert.deepEqual([db?.image, db?.hostname, db?.user, db?.environment.get('A')], ['c:9', 'outer', '1', '1'])
})

test('a later manifest overrides what an earlier one includes', () => {
  const { stack } = loadTexts(['include: [db.yml]\n', 'services: {db: {image: d}}\n'], {
    beside: { 'db.yml': 'services: {db: {image: c, user: "1"}}\n' },
  })
  assert.deepEqual([stack?.services[0]?.image, stack?.services[0]?.user], ['d', '1'])
})

test('one file reached by two ways is one', () => {
  const { stack, problems } = loadTexts(['include: [a.yml, b.yml]\n'], {
    beside: {
      'a.yml': 'include: [c.yml]\nservices: {a: {image: x}}\n',
      'b.yml': 'include: [c.yml]\nservices: {b: {image: x}}\n',
      'c.yml': 'services: {c: {image: x}}\n',
    },
  })
  assert.deepEqual(problems, [])
  assert.equal(stack?.services.length, 3)
})

for (const [name, text, beside, said] of [
  ['a missing file', 'include: [gone.yml]\n', {}, ['error 1.yml:1:11 the included file "gone.yml" does not exist']],
  ['no path', 'include: [{path: []}]\n', {}, ['error 1.yml:1:11 this include names no file']],
  [
    'a missing env file',
    'include: [{path: a.yml, env_file: gone.env}]\n',
    { 'a.yml': 'services: {}\n' },
    ['error 1.yml:1:35 the env file gone.env does not exist'],
  ],
  [
    'an env file with several mistakes, each at its line',
    'include: [{path: a.yml, env_file: a.env}]\n',
    { 'a.yml': 'services: {}\n', 'a.env': 'hunter2\nhunter2\nGITHUB_TOKEN=x\n' },
    [
      'error a.env:1:1 the env file a.env, line 1: it is no assignment',
      'error a.env:2:1 the env file a.env, line 2: it is no assignment',
      'error a.env:3:1 the env file a.env, line 3: no manifest can see GITHUB_TOKEN, as it can see no INPUT_*, ACTIONS_*, STATE_* and no GITHUB_TOKEN',
    ],
  ],
  [
    'a value of an env file, which is not shown',
    'include: [{path: a.yml, env_file: a.env}]\n',
    { 'a.yml': 'services: {x: {image: b, volumes: ["${X}"]}}\n', 'a.env': 'X=ab:open/sesame:ro:z\n' },
    ['error a.yml:1:36 "${X}" is no volume: it has too many colons'],
  ],
  [
    'two services of one name',
    'include: [a.yml]\nservices: {x: {image: b}}\n',
    { 'a.yml': 'services:\n  x: {image: c}\n' },
    ['error 1.yml:1:11 the service x of a.yml:2, included here, is defined at 1.yml:2 too'],
  ],
  [
    'a circle',
    'include: [a.yml]\n',
    { 'a.yml': 'include: [1.yml]\n' },
    ['error a.yml:1:11 the file "1.yml" includes itself'],
  ],
  [
    'a mistake in the included file',
    'include: [a.yml]\nservices: {x: {imag: b}}\n',
    { 'a.yml': 'services: {y: {imag: b}}\n' },
    ['error 1.yml:2:16 there is no key "imag" in services.x', 'error a.yml:1:16 there is no key "imag" in services.y'],
  ],
] as const) {
  test(`refused: ${name}`, () => assert.deepEqual(problemLines(loadTexts([text], { beside })), said))
}

/** Eighteen files that each include the next one twice, by entries of the form `entry`. */
function multiplied(entry: (file: string) => string) {
  const beside = Object.fromEntries(
    Array.from({ length: 18 }, (_, level) => {
      const next = entry(`${level + 1}.inc`)
      return [`${level}.inc`, `include: [${next}, ${next}]\nservices: {}\n`]
    }),
  )
  return loadTexts(['include: [0.inc]\n'], {
    beside: { ...beside, none: '', '18.inc': 'services: {last: {image: b}}\n' },
  })
}

test('what is included by many ways is read once', () => {
  const result = multiplied((file) => file)
  assert.deepEqual(problemLines(result), [])
  assert.deepEqual(
    result.stack?.services.map(({ name }) => name),
    ['last'],
  )
})

test('includes that multiply are bounded', () => {
  const said = problemLines(multiplied((file) => `{path: ${file}, env_file: none}`))
  assert.match(said.join('\n'), /there are more than 1000 includes/)
})
