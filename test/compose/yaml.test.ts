// Aliases, merge keys, duplicates, and files that are no manifest at all: every one a message with its place.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lexer } from 'yaml'
import { loadTexts, problemLines, serviceOf } from '../support/composeFiles.ts'

const service = 'services:\n  a:\n    image: b\n'

test('merge keys: own keys win, and of a list the earlier mapping', () => {
  const text = `x-a: &a {A: "1", B: "2"}\nx-b: &b {B: "3", C: "4"}\n${service}    environment:\n      <<: [*b, *a]\n      C: "9"\n`
  const { stack } = loadTexts([text])
  assert.deepEqual(stack?.services[0]?.environment, new Map(Object.entries({ A: '1', B: '3', C: '9' })))
})

test('a quoted << is a key like any other', () => {
  assert.deepEqual(serviceOf('labels:\n  "<<": x').labels, new Map([['<<', 'x']]))
})

test('an anchor that is set again counts from there on', () => {
  const { stack } = loadTexts([`x-l: &l a\nx-m: &l b\n${service}    hostname: *l\n`])
  assert.equal(stack?.services[0]?.hostname, 'b')
})

const refused: readonly (readonly [name: string, text: string | Uint8Array, said: RegExp])[] = [
  [
    'a key twice',
    'services:\n  a:\n    image: b\n    image: c\n',
    /error 1\.yml:4:5 the key "image" is already set at line 3/,
  ],
  [
    'two merge keys',
    `x-a: &a {A: b}\n${service}    labels:\n      <<: *a\n      <<: *a\n`,
    /1\.yml:7:7 the key "<<" is already set at line 6/,
  ],
  ['a merge of text', `${service}    labels:\n      <<: x\n`, /1\.yml:5:7 `<<` takes a mapping/],
  [
    'an unknown anchor',
    `${service}    labels: *d\n`,
    /1\.yml:4:13 the anchor &d .* is not defined before it in this file/,
  ],
  ['an anchor in itself', `x-l: &l [*l]\n${service}`, /1\.yml:1:10 the value of the anchor &l contains itself/],
  ['a number as key', `x-a:\n  80: b\n${service}`, /1\.yml:2:3 a key must be text, but this one is the integer 80/],
  ['a boolean as key', `${service}    environment:\n      TRUE: b\n`, /1\.yml:5:7 a key must be text/],
  ['no key', `${service}    labels:\n      ~: b\n`, /1\.yml:5:7 a key must be text, but this one is null/],
  [
    'a list as key',
    `${service}    labels:\n      ? [a]\n      : b\n`,
    /1\.yml:5:9 a key must be text, but this one is a list/,
  ],
  ['nothing', '', /1\.yml:1:1 the file is empty/],
  ['a list', '- a\n', /1\.yml:1:1 the file must hold a mapping/],
  ['text', 'hello', /1\.yml:1:1 the file must hold a mapping/],
  ['a tab', 'services:\n\ta:\n\t\timage: b\n', /1\.yml:2:1 this is not valid YAML: .*tab|1\.yml:2:1 .*valid YAML/],
  [
    'wrong indentation',
    'services:\n  a:\n    image: b\n   hostname: c\n',
    /1\.yml:\d:\d this is not valid YAML: the indentation/,
  ],
  ['a NUL byte', 'services: {a: {image: "b\0"}}\n', /1\.yml:1:25 the file has a NUL byte here/],
  [
    'a control character',
    'services: {a: {image: "b\u0007"}}\n',
    /1\.yml:1:25 the file has the control character U\+0007/,
  ],
  ['UTF-16', Buffer.from('\ufeffservices: {}', 'utf16le'), /1\.yml:1:1 the file is UTF-16/],
  ['UTF-16 without a mark', Buffer.from('services: {}', 'utf16le'), /1\.yml:1:1 the file looks like UTF-16/],
  [
    'Latin-1',
    Buffer.from('services:\n  a: {image: b, hostname: "\xe9"}\n', 'latin1'),
    /1\.yml:2:28 the file has bytes here that are not UTF-8/,
  ],
]

for (const [name, text, said] of refused) {
  test(`refused with its place: ${name}`, () => {
    const result = loadTexts([text])
    assert.equal(result.stack, undefined)
    assert.match(problemLines(result).join('\n'), said)
  })
}

for (const [name, text] of [
  ['CRLF', `${service}    hostname: c\n`.replaceAll('\n', '\r\n')],
  ['CR alone', `${service}    hostname: c\n`.replaceAll('\n', '\r')],
  ['a byte order mark', `\ufeff${service}    hostname: c\n`],
] as const) {
  test(`accepted: ${name}`, () => {
    const result = loadTexts([text])
    assert.deepEqual(problemLines(result), [])
    assert.equal(result.stack?.services[0]?.hostname, 'c')
  })
}

for (const [name, body] of [
  ['at the column of the key', 'command: [\n    "a",\n    b\n    ]'],
  ['at the first column', 'command: [ # why\n"a", # because ]\nb\n]'],
  ['nested', 'x-y: {a: [\n1], b: {\nc: d}}\n    command: ["a",\nb]'],
] as const) {
  test(`lists and mappings in brackets may stand at any indentation: ${name}`, () => {
    const result = loadTexts([`${service}    ${body}\n    hostname: "h"\n    tyt: 1\n`])
    const lines = `${service}    ${body}`.split('\n').length
    assert.deepEqual(problemLines(result), [`error 1.yml:${lines + 2}:5 there is no key "tyt" in services.a`])
    const { stack } = loadTexts([`${service}    ${body}\n    hostname: "h"\n`])
    assert.deepEqual([stack?.services[0]?.command, stack?.services[0]?.hostname], [['a', 'b'], 'h'])
  })
}

test('brackets that joining their lines would not mend are looked at once, not thousands of times', (context) => {
  const lex = context.mock.method(Lexer.prototype, 'lex')
  const text = "services:\n  web:\n    profiles: [d'${PROFILE:-all}']\n    image: a\n        limits: { cpus: 1.5 }\n"
  assert.equal(loadTexts([text]).stack, undefined)
  assert.ok(lex.mock.callCount() < 10, `${lex.mock.callCount()} looks`)
})

test('only the first document counts, and this is said', () => {
  const result = loadTexts([`${service}---\nservices: {b: {image: c}}\n`])
  assert.deepEqual(
    result.stack?.services.map(({ name }) => name),
    ['a'],
  )
  assert.match(problemLines(result).join(), /warning 1\.yml:4:1 only the first YAML document/)
})

test('a problem shows its line with a caret under the column', () => {
  const { problems } = loadTexts(['services:\n  web:\n    image: b\n    prots: [80]\n'])
  assert.equal(problems[0]?.excerpt, '4 |     prots: [80]\n  |     ^')
  assert.equal(problems[0]?.remedy, 'Did you mean "ports"?')
})

const bomb = `x-0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, i) => `x-${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join()}]\n`).join('')}`

for (const [name, text, said] of [
  ['aliases of aliases', bomb + service, /aliases of this file stand for more than/],
  ['brackets', '['.repeat(100_000), /nests lists and mappings too deeply/],
  ['dashes', '- '.repeat(20_000), /nests lists and mappings too deeply/],
  ['indentation', Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''), /too deeply/],
  ['references', `services: {a: {image: "${'${a:-'.repeat(100_000)}"}}`, /reference .* is not valid/],
] as const) {
  test(`bounded: endless ${name}`, () => {
    const result = loadTexts([text])
    assert.equal(result.stack, undefined)
    assert.match(problemLines(result)[0] ?? '', said)
    assert.ok(result.problems.length < 10)
  })
}

test('thousands of services are no matter', () => {
  const one = (index: number): string =>
    `  s${index}:\n    image: b:${index}\n    ports: ["${index}:80"]\n    environment: [A=1, "B=\${X:-2}"]\n    deploy: *d\n`
  const text = `x-d: &d {replicas: 2, labels: {a: b}}\nservices:\n${Array.from({ length: 5000 }, (_, index) => one(index)).join('')}`
  const { stack, problems } = loadTexts([text])
  assert.deepEqual(problems, [])
  assert.equal(stack?.services.length, 5000)
  assert.equal(stack?.services.at(-1)?.environment.get('B'), '2')
})
