import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCommand, parseFileCommands, readLog } from './runnerCommands.mjs'

const lines: readonly [line: string, expected: ReturnType<typeof parseCommand>][] = [
  ['::error::boom', { name: 'error', properties: {}, text: 'boom' }],
  ['  \t::notice::indented', { name: 'notice', properties: {}, text: 'indented' }],
  [
    '::error file=a%3Ab.yml,line=3,title=x%2Cy::one%0Atwo %25 three',
    { name: 'error', properties: { file: 'a:b.yml', line: '3', title: 'x,y' }, text: 'one\ntwo % three' },
  ],
  ['somewhere ##[warning line=2;]old form', { name: 'warning', properties: { line: '2' }, text: 'old form' }],
  ['##[group]title', { name: 'group', properties: {}, text: 'title' }],
  ['text ::error::not at the start', undefined],
  ['::unknown::text', undefined],
  ['##[unknown]text', undefined],
  ['::error without an end', undefined],
  ['##[error without an end', undefined],
  ['%3A%3Aerror::encoded', undefined],
]

for (const [line, expected] of lines) {
  test(`the runner's reading of ${line}`, () => assert.deepEqual(parseCommand(line), expected))
}

test('a %25 is decoded last, so that an encoded %0A stays text', () => {
  assert.equal(parseCommand('::error::%250A')?.text, '%0A')
})

test('a secret is masked from the line on that adds it, each of its lines as well, and never shown by it', () => {
  const log = readLog()
  for (const line of ['one two', '::add-mask::one%0Atwo', 'one and two', '::error::saw two', '::group::one'])
    log.add(line)
  assert.deepEqual(log.lines, ['one two', '*** and ***', 'Error: saw ***', '▼ ***'])
})

test('a colour around a line is not in its text, and nothing else is taken out', () => {
  const log = readLog()
  const lines = ['\x1b[32m+ one\x1b[0m', 'a \x1b[32mpart\x1b[0m', '\x1b[2Kgone', '\x1b[31m\x1b[1mtwo\x1b[0m']
  for (const line of lines) log.add(line)
  assert.deepEqual(log.lines, ['+ one', ...lines.slice(1)])
})

test('nothing is a command between stop-commands and its token', () => {
  const log = readLog()
  for (const line of ['::stop-commands::token', '::error::text', '::token::', '::error::real']) log.add(line)
  assert.deepEqual(
    log.commands.map(({ text }) => text),
    ['real'],
  )
})

test('a file of outputs: lines, values of several lines, an empty value', () => {
  assert.deepEqual(parseFileCommands('a=1\nb<<END\nx=y\n\nz\nEND\nc=\nd=p=q\n'), {
    a: '1',
    b: 'x=y\n\nz',
    c: '',
    d: 'p=q',
  })
})

for (const [text, reason] of [
  ['words', /rejects the line/],
  ['=value', /rejects the line/],
  ['a<<END\nx\n', /not ended by END/],
  ['<<END\nEND\n', /names no output/],
] as const) {
  test(`a file of outputs that fails the step: ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseFileCommands(text), reason)
  })
}
