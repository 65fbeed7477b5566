// The top-level sections: external objects in both forms, and the files of secrets and configs.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadTexts, problemLines } from '../support/composeFiles.ts'

for (const [definition, external, name] of [
  ['external: true', true, 'k'],
  ['external: {}', true, 'k'],
  ['external: true, name: n', true, 'n'],
  ['external: false, name: n', false, 'n'],
  ['external: "${YES}"', true, 'k'],
  ['external: {name: n}', true, 'n'],
] as const) {
  test(`{${definition}}`, () => {
    for (const section of ['networks', 'volumes'] as const) {
      const { stack } = loadTexts([`${section}: {k: {${definition}}}`], { variables: { YES: 'yes' } })
      const found = stack?.[section].get('k')
      assert.deepEqual([found?.external, found?.name], [external, name])
    }
  })
}

test('external.name is deprecated from 3.5 on, volumes from 3.4', () => {
  const text = 'networks: {n: {external: {name: x}}}\nvolumes: {v: {external: {name: x}}}\n'
  assert.equal(loadTexts([text]).problems.length, 2)
  assert.equal(loadTexts([`version: "3.4"\n${text}`]).problems.length, 1)
  assert.equal(loadTexts([`version: "3.3"\n${text}`]).problems.length, 0)
})

test('two names are one too many', () => {
  assert.deepEqual(problemLines(loadTexts(['secrets: {k: {name: a, external: {name: b}}}'])), [
    'error 1.yml:1:41 the secret k has both "name" and "external.name"',
  ])
})

test('contents of secrets and configs are bytes, also empty and beyond text', () => {
  const bytes = Buffer.from([0, 255, 10])
  const text = 'secrets: {s: {file: ./s.bin}}\nconfigs: {c: {file: sub/c, template_driver: golang}}\n'
  const { stack } = loadTexts([text], { beside: { 's.bin': bytes, 'sub/c': '' } })
  assert.deepEqual(stack?.secrets.get('s')?.data, bytes)
  assert.equal(stack?.configs.get('c')?.data?.length, 0)
  assert.equal(stack?.configs.get('c')?.templateDriver, 'golang')
})

for (const [text, said] of [
  ['secrets: {s: {}}', 'error 1.yml:1:11 the secret "s" has no content: it names no file'],
  ['configs: {c: {file: ""}}', 'error 1.yml:1:11 the config "c" has no content: it names no file'],
  ['configs: {c: {file: nope}}', 'error 1.yml:1:21 the file "nope" of the config c does not exist'],
  [
    'secrets: {s: {driver: d, file: f}}',
    'error 1.yml:1:32 the secret s has both "driver" and "file", but a driver brings the content itself',
  ],
  ['secrets: {s: }', 'error 1.yml:1:11 secrets.s must be a mapping, but it is empty'],
  [
    'configs: {c: {content: x, file: f}}',
    'error 1.yml:1:24 the config c has both "file" and "content", but there can be one content only',
  ],
  [
    'configs: {c: {content: x, external: true}}',
    'error 1.yml:1:24 the config c is external, so "content" of it can not be set here',
  ],
  [
    'secrets: {s: {content: x}}',
    'error 1.yml:1:15 the key "content" is not supported in secrets.s: only the Compose Specification has it',
  ],
  [
    'secrets: {s: {environment: UNSET}}',
    'error 1.yml:1:28 the variable "UNSET", which is the content of the secret s, is not set',
  ],
  [
    'secrets: {s: {environment: GITHUB_TOKEN}}',
    'error 1.yml:1:28 the variable GITHUB_TOKEN belongs to the runner or to this action, and no manifest may read it',
  ],
  [
    'volumes: {v: {external: true, labels: {a: b}}}',
    'error 1.yml:1:31 the volume v is external, so "labels" of it can not be set here',
  ],
] as const) {
  test(`refused: ${text}`, () => assert.deepEqual(problemLines(loadTexts([text])), [said]))
}

test('contents from the manifest itself and from variables', () => {
  const text =
    'secrets: {s: {environment: PASS}}\nconfigs:\n  c: {environment: "${WHICH}"}\n  d:\n    content: |\n      a=${PASS}\n'
  const { stack } = loadTexts([text], { variables: { PASS: 'hunter2', WHICH: 'PASS' } })
  const texts = [stack?.secrets.get('s'), stack?.configs.get('c'), stack?.configs.get('d')].map(
    (found) => found?.data && Buffer.from(found.data).toString(),
  )
  assert.deepEqual(texts, ['hunter2', 'hunter2', 'a=hunter2\n'])
})

test('a secret with a driver reads no file', () => {
  const { stack } = loadTexts(['secrets: {s: {driver: d, driver_opts: {a: 1}}}'])
  assert.equal(stack?.secrets.get('s')?.data, undefined)
  assert.deepEqual(stack?.secrets.get('s')?.driverOpts, new Map([['a', '1']]))
})

test('networks and volumes may be empty, and networks have any name', () => {
  const { stack } = loadTexts(['networks: {"a b": }\nvolumes: {v: }\n'])
  assert.deepEqual([[...(stack?.networks.keys() ?? [])], [...(stack?.volumes.keys() ?? [])]], [['a b'], ['v']])
})
