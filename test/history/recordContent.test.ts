// What of a stack's files a record may hold: everything that a rollback needs, and nothing that the run keeps secret.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadStack } from '../../src/compose/load.ts'
import { recordContent } from '../../src/history/recordContent.ts'
import { createRedactor } from '../../src/report/redactor.ts'
import { loadTexts, memoryFiles, problemLines } from '../support/composeFiles.ts'

const planted = 'tr0ub4dor&3'
const redactor = createRedactor()
redactor.add(planted)
const hides = (text: string): boolean => redactor.redact(text) !== text

const files = (entries: Readonly<Record<string, string | Uint8Array>>) =>
  new Map(Object.entries(entries).map(([path, content]) => [path, Buffer.from(content)]))

test('of one manifest the text is kept, and beside it the files that it names', () => {
  const source = { manifests: ['a.yml'], files: files({ 'a.yml': '\ufeffservices: {}\n', 'b.conf': 'x' }) }
  const { content, warnings } = recordContent(source, hides)
  assert.deepEqual(content, { manifest: 'services: {}\n', files: files({ 'b.conf': 'x' }), omitted: [] })
  assert.deepEqual(warnings, [])
})

test('several manifests become one that merges them by include, and loads as the same stack', () => {
  const texts = [
    `services: { a: { image: "x:$\{TAG}", environment: { A: "1", B: "2" } } }\nconfigs: { c: { file: c.conf } }\n`,
    'services: { a: { environment: { B: "3" }, configs: [c] }, b: { image: y } }\n',
  ]
  const direct = loadTexts(texts, { variables: { TAG: '1' }, beside: { 'c.conf': 'x' } })
  assert.ok(direct.stack !== undefined, problemLines(direct).join('\n'))
  const { content } = recordContent(direct, hides)
  assert.ok(content !== undefined)
  assert.equal(content.manifest, 'include:\n    - path:\n          - 1.yml\n          - 2.yml\n')
  const again = loadStack({
    files: ['record.yml'],
    variables: { get: (name) => (name === 'TAG' ? '1' : undefined), isHidden: () => false },
    readFile: memoryFiles({ ...Object.fromEntries(content.files), 'record.yml': content.manifest }),
  })
  assert.deepEqual(again.stack?.services, direct.stack.services)
  assert.deepEqual(again.stack?.configs, direct.stack.configs)
})

const forms: readonly (readonly [what: string, content: string | Uint8Array])[] = [
  ['plain', `password=${planted}`],
  ['in base64', Buffer.from(`user:${planted}`).toString('base64')],
  ['in a URL', `http://u:${encodeURIComponent(planted)}@host`],
  ['in UTF-16', Buffer.from(planted, 'utf16le')],
  ['in UTF-16 of the other order', Buffer.from(planted, 'utf16le').swap16()],
  ['among bytes that are no text', Buffer.concat([Buffer.from([0xff, 0xfe, 0x80]), Buffer.from(planted)])],
]

for (const [what, content] of forms) {
  test(`a file with a secret in it is left out and named: ${what}`, () => {
    const source = { manifests: ['a.yml'], files: files({ 'a.yml': 'x: 1', 'b.conf': content, 'c.conf': 'x' }) }
    const { content: kept, warnings } = recordContent(source, hides)
    assert.deepEqual(kept, { manifest: 'x: 1', files: files({ 'c.conf': 'x' }), omitted: ['b.conf'] })
    assert.equal(warnings.length, 1)
    assert.match(warnings[0]?.message ?? '', /without the file b\.conf.*secret/)
    assert.doesNotMatch(JSON.stringify(warnings), /tr0ub/)
  })
}

test('a manifest with a secret in it makes no record', () => {
  for (const manifests of [['a.yml'], ['b.yml', 'a.yml']]) {
    const source = { manifests, files: files({ 'a.yml': `x: ${planted}`, 'b.yml': 'x: 1' }) }
    const { content, warnings } = recordContent(source, hides)
    assert.equal(content, undefined)
    assert.match(warnings.map(({ message }) => message).join(), /no release record.*a\.yml/)
  }
})
