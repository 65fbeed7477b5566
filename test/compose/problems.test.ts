// Every problem of all files in one run, at its line, with what to do.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { loadStack } from '../../src/compose/load.ts'
import { workspaceFiles } from '../../src/compose/workspaceFiles.ts'
import { loadTexts, problemLines, saidOf } from '../support/composeFiles.ts'

const folder = path.resolve(import.meta.dirname, '..', 'fixtures', 'compose')

for (const name of fs.readdirSync(folder).filter((file) => file.endsWith('.yml'))) {
  test(`what is said of ${name}`, () => {
    const { problems } = loadStack({
      files: [name],
      variables: { get: () => undefined, isHidden: () => false },
      readFile: workspaceFiles({ workspace: folder }),
    })
    const text = problems.map(({ severity, position, message, remedy, excerpt }) =>
      [`${severity} ${position?.file}:${position?.line}:${position?.column}`, message, remedy, excerpt, ''].join('\n'),
    )
    const golden = path.join(folder, name.replace('.yml', '.golden.txt'))
    if (process.env.UPDATE_GOLDENS === '1') fs.writeFileSync(golden, text.join('\n'))
    assert.equal(text.join('\n'), fs.readFileSync(golden, 'utf8'))
  })
}

test('problems come by file, line and column, those of all files', () => {
  const result = loadTexts([
    'services:\n  a:\n    image: b\n    tyt: true\n    imag: c\n',
    'services:\n  a:\n    hostnam: c\n',
    'services: [\n',
  ])
  assert.deepEqual(
    problemLines(result).map((line) => line.split(' ')[1]),
    ['1.yml:4:5', '1.yml:5:5', '2.yml:3:5', '3.yml:2:1'],
  )
})

test('what an anchor holds is said once, however often it is used', () => {
  const result = loadTexts(['x-a: &a {imag: b}\nservices:\n  a: *a\n  b: *a\n'])
  assert.deepEqual(problemLines(result), ['error 1.yml:1:10 there is no key "imag" in services.a'])
})

test('an error after a thousand warnings is told', () => {
  const lines = Array.from({ length: 1100 }, (_, index) => `      - K${index}=\${UNSET_${index}}\n`).join('')
  const told = problemLines(loadTexts([`services:\n  a:\n    image: b\n    environment:\n${lines}    imag: c\n`]))
  assert.deepEqual(
    told.filter((line) => line.startsWith('error')),
    ['error 1.yml:1105:5 there is no key "imag" in services.a'],
  )
  assert.equal(told.length, 1001)
})

test('a missing file is one error without a place', () => {
  const result = loadStack({
    files: ['nope.yml'],
    variables: { get: () => undefined, isHidden: () => false },
    readFile: workspaceFiles({ workspace: folder }),
  })
  assert.deepEqual(problemLines(result), ['error - the manifest nope.yml does not exist'])
  assert.equal(result.stack, undefined)
})

for (const [text, said] of [
  ['version: 3.8', /1\.yml:1:10 version must be a string, but it is the float 3\.8/],
  ['version: "2.4"', /1\.yml:1:10 the version "2\.4" is not supported/],
  ['version: "3.14"', /the version "3\.14" is not supported/],
  ['version: "${V}"', /the version "\$\{V\}" is not supported/],
  [
    'version: "3.0"\nsecrets: {}',
    /1\.yml:2:1 the key "secrets" \(secrets\) exists from version 3\.1 on, but this file says version 3\.0/,
  ],
  [
    'version: "3.1"\nservices: {a: {image: b, ports: [{target: 80}]}}',
    /services\.a\.ports\.0 can be a mapping only from version 3\.2 on/,
  ],
  ['version: "3.3"\nx-a: 1', /keys beginning with "x-" exist here from version 3\.4 on/],
] as const) {
  test(`versions: ${JSON.stringify(text)}`, () => {
    assert.match(problemLines(loadTexts([text])).join('\n'), said)
  })
}

test('files of unequal versions', () => {
  const result = loadTexts(['services: {}', 'version: "3.9"\nservices: {}'])
  assert.deepEqual(problemLines(result), [
    'error 2.yml:1:1 the version is 3.9 here, but 3.13 in 1.yml (none counts as 3.13)',
  ])
})

for (const [body, remedy] of [
  ['extends: {service: x}', 'Correct the name.'],
  ['volume_driver: x', 'Define a volume at the top level, with its `driver`.'],
  ['limits: {cpus: "1"}', 'It belongs under `deploy.resources`: check the indentation.'],
  ['hostnam: x', 'Did you mean "hostname"?'],
  ['depend-on: [x]', 'Did you mean "depends_on"?'],
  ['env_file: [{path: x, required: false, format: ini}]', 'Write raw, or remove it.'],
  ['ports: [{target: 80, published: "x"}]', 'Write a port such as 8080, or a range such as "8080-8090".'],
  ['ports: ["published=80,target=80"]', 'Write a mapping with the keys target, published, protocol and mode.'],
  ['stop_grace_period: "10"', 'Add a unit, such as "s".'],
] as const) {
  test(`the remedy for ${body}`, () => {
    const { problems } = loadTexts([`services:\n  a:\n    image: b\n    ${body}\n`])
    assert.deepEqual(
      problems.filter(({ severity }) => severity === 'error').map((problem) => problem.remedy),
      [remedy],
    )
  })
}

test('ignored keys are one warning each, with what happens instead', () => {
  const text =
    'services:\n  a: {image: b, links: [c], privileged: false, pid: }\n  c: {image: b, links: [a], restart: always}\n'
  assert.deepEqual(problemLines(loadTexts([text])), [
    'warning 1.yml:2:17 "links" is ignored (so are 1 more): services find each other by their names on a common network',
  ])
})

test('restart counts unless deploy.restart_policy decides', () => {
  assert.deepEqual(saidOf('restart: always'), [])
  assert.deepEqual(saidOf('restart: always\ndeploy: {restart_policy: {condition: any}}'), [
    'warning 4:5 "restart" is ignored: `deploy.restart_policy` decides',
  ])
})

test('an excerpt can be had for a place that another room has found something at', () => {
  const { excerptAt } = loadTexts(['services:\n  a:\n    image: b\n'])
  assert.equal(excerptAt({ file: '1.yml', line: 3, column: 5 }), '3 |     image: b\n  |     ^')
  assert.equal(excerptAt({ file: 'other.yml', line: 3, column: 5 }), undefined)
})
