import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, type Log } from '../../src/report/log.ts'
import { createRedactor } from '../../src/report/redactor.ts'

function written(use: (log: Log) => void, secrets: readonly string[] = [], hasColours = false): string {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  let text = ''
  const write = (part: string) => {
    text += part
  }
  use(createLog({ redactor, write, hasColours }))
  return text
}

test('an annotation carries file, line, column and title, escaped as the runner undoes it', () => {
  const text = written((log) =>
    log.error('100% wrong\nsecond line', { title: 'a,b: c%', position: { file: 'a,b:c.yml', line: 12, column: 5 } }),
  )
  assert.equal(
    text,
    '::error file=a%2Cb%3Ac.yml,line=12,col=5,title=a%2Cb%3A c%25::a,b:c.yml:12:5: 100%25 wrong%0Asecond line\n',
  )
})

test('a finding becomes an annotation with its excerpt and remedy', () => {
  const text = written((log) =>
    log.problem({
      severity: 'warning',
      code: 'manifest',
      message: 'services.web.build is ignored',
      position: { file: 's.yml', line: 3, column: 5 },
      excerpt: '  build: .\n  ^',
      remedy: 'Build it before.',
    }),
  )
  assert.equal(
    text,
    '::warning file=s.yml,line=3,col=5::s.yml:3:5: services.web.build is ignored%0A      build: .%0A      ^%0A→ Build it before.\n',
  )
})

test('ten annotations of a kind, the rest plain and counted', () => {
  const text = written((log) => {
    for (let index = 1; index <= 12; index++)
      log.warning(`w${index}`, { position: { file: 'f', line: index, column: 1 } })
    log.error('e1')
    log.finish()
  })
  const lines = text.trimEnd().split('\n')
  assert.equal(lines.filter((line) => line.startsWith('::warning ')).length, 10)
  assert.deepEqual(lines.slice(10), [
    'warning: f:11:1: w11',
    'warning: f:12:1: w12',
    '::error::e1',
    '2 more of 12 warnings are in this log only: GitHub takes 10 annotations of a kind.',
  ])
})

test('groups follow one another and are never left open', () => {
  const text = written((log) => {
    log.group('one')
    log.info('in one')
    log.group('two ::endgroup::')
    log.endGroup()
    log.endGroup()
    log.group('three')
    log.finish()
  })
  assert.equal(
    text,
    '::group::one\nin one\n::endgroup::\n::group::two : :endgroup: :\n::endgroup::\n::group::three\n::endgroup::\n',
  )
})

test('no level shows a secret, not even one that its bounds would cut', () => {
  const secret = 'correct-horse-battery-staple'
  const far = `${'x'.repeat(3_990)}${secret}`
  const text = written(
    (log) => {
      for (const message of [secret, far, `${'x'.repeat(290)}${secret}`, `cor\u0000rect-horse-battery-staple`]) {
        log.info(message)
        log.debug(message)
        log.group(message)
        log.notice(message, { title: message, position: { file: message, line: 1, column: 1 } })
        log.problem({ severity: 'error', code: 'input', message, remedy: message, excerpt: message })
      }
    },
    [secret],
  )
  assert.doesNotMatch(text, /corre|stapl/)
  assert.match(text, /\*\*\*/)
})

test('lines of a plan have the colour of their sign, and nothing else has one', () => {
  const say = (log: Log): void => {
    for (const line of ['+ created', '~ updated', '- removed', '  left', '      + field: a → b', '+', '-removed', '']) {
      log.planned(line)
    }
    log.info('+ not of a plan')
    log.notice('+ not of a plan')
  }
  const rest = '  left\n      + field: a → b\n+\n-removed\n\n+ not of a plan\n::notice::+ not of a plan\n'
  assert.equal(
    written(say, [], true),
    `\x1b[32m+ created\x1b[0m\n\x1b[33m~ updated\x1b[0m\n\x1b[31m- removed\x1b[0m\n${rest}`,
  )
  assert.equal(written(say), `+ created\n~ updated\n- removed\n${rest}`)
})

test('the colours stand around what is scrubbed, masked, bounded and tamed', () => {
  const secret = 'correct-horse-battery-staple'
  const colours = (line: string): string => written((log) => log.planned(line), [secret, '- service', '[32m+ x'], true)
  const cases: readonly (readonly [line: string, shown: string])[] = [
    [`+ service ${secret} is created`, '\x1b[32m+ service *** is created\x1b[0m\n'],
    [`~ ${secret}`, '\x1b[33m~ ***\x1b[0m\n'],
    [`~ cor\x1b[0mrect-horse-battery-staple`, '\x1b[33m~ ***\x1b[0m\n'],
    ['- service x is removed', '*** x is removed\n'],
    ['\x1b[32m+ service x\x1b[0m\x1b[2K', '\x1b[32m+ service x\x1b[0m\n'],
    ['\x1b[31m  left \x9b1mas it is', '  left as it is\n'],
    ['+ ::error::x', '\x1b[32m+ : :error: :x\x1b[0m\n'],
    ['+ ##[error]x', '\x1b[32m+ ## [error]x\x1b[0m\n'],
    ['::error::x', ': :error: :x\n'],
    // What is cut off may not be the end of the colour.
    [`+ ${'x'.repeat(5000)}`, `\x1b[32m+ ${'x'.repeat(3997)}…\x1b[0m\n`],
    ['+ ##', '\x1b[32m+ ##\x1b[0m\n'],
  ]
  for (const [line, shown] of cases) {
    const text = colours(line)
    assert.equal(text, shown)
    assert.doesNotMatch(text, /##\[/)
  }
})

test('debug lines are commands, which the runner shows only when asked to', () => {
  assert.equal(
    written((log) => log.debug('a\nb')),
    '::debug::a%0Ab\n',
  )
})
