import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRedactor } from '../../src/report/redactor.ts'
import { growth } from '../support/growth.ts'

function redactorOf(...secrets: readonly string[]) {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  return redactor
}

test('a secret is taken out in every form', () => {
  const secret = 'p@ss/w+rd "ü" <x>&y'
  const { redact } = redactorOf(secret)
  const json = JSON.stringify(secret).slice(1, -1)
  const forms = [
    secret,
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
    new URLSearchParams([['', secret]]).toString().slice(1),
    json,
    json.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026'),
    json.replaceAll('ü', '\\u00fc'),
    // As Go's net/url writes it in a path, a segment of one, and a login.
    'p@ss%2Fw+rd%20%22%C3%BC%22%20%3Cx%3E&y',
    'p@ss/w+rd%20%22%C3%BC%22%20%3Cx%3E&y',
    'p%40ss%2Fw+rd%20%22%C3%BC%22%20%3Cx%3E&y',
    Object.assign(new URL('https://host'), { password: secret }).password,
  ]
  for (const form of forms) assert.equal(redact(`before ${form} after`), 'before *** after', form)
})

test('a secret inside a longer base64 text shows nothing of itself but its edges', () => {
  const { redact } = redactorOf('correct-horse-battery')
  for (const user of ['', 'u', 'ab', 'abc']) {
    const text = redact(Buffer.from(`${user}:correct-horse-battery:more`).toString('base64'))
    assert.match(text, /^[A-Za-z0-9+/]{0,8}\*\*\*[A-Za-z0-9+/=]{0,10}$/, text)
  }
})

test('a login that is sent as base64 of JSON shows nothing of its password', () => {
  const password = 'pa"ss\\word/of+alice'
  const { redact } = redactorOf(password)
  for (const username of ['a', 'al', 'ali']) {
    const header = Buffer.from(JSON.stringify({ username, password })).toString('base64url')
    assert.match(redact(header), /^[\w-]{20,48}\*\*\*[\w=-]{0,8}$/)
  }
})

test('what is no text is recognised in base64', () => {
  const bytes = Buffer.from(Array.from({ length: 200 }, (_, index) => (index * 37) % 256))
  const { add, redact } = createRedactor()
  add(bytes)
  assert.equal(redact(`keystore: ${bytes.toString('base64')}`), 'keystore: ***')
  const inside = redact(Buffer.concat([Buffer.from('x'), bytes]).toString('base64'))
  assert.ok(inside.replaceAll('***', '').length < 12, inside)
  for (const line of bytes.toString('base64').match(/.{1,76}/g) ?? []) {
    assert.ok(redact(line).replaceAll('***', '').length < 12, line)
  }
})

test('base64 that a tool breaks into lines is recognised line by line', () => {
  const secret = Array.from({ length: 12 }, (_, line) => `line ${line} of a planted secret`).join('\n')
  const { add, redact } = createRedactor()
  add(secret)
  for (const [width, end] of [
    [64, ''],
    [76, ''],
    [76, '\n'],
  ] as const) {
    const lines =
      Buffer.from(secret + end)
        .toString('base64')
        .match(new RegExp(`.{1,${width}}`, 'g')) ?? []
    assert.ok(lines.length > 4)
    for (const line of lines) {
      const shown = redact(line).replaceAll('***', '')
      assert.ok(shown.length < 12, `${width}: ${line} shows ${shown}`)
    }
  }
})

test('base64 of a secret within something longer is recognised however a tool breaks it into lines, and of a part only that part', () => {
  const secret = 'a-planted_secret/of+more than 57 bytes, so that base64 has lines of it: 0123456789'
  const { add, redact, redactLines } = createRedactor()
  add(secret)
  for (const before of ['', 'x', 'xy', '{"password":"']) {
    for (const alphabet of ['base64', 'base64url'] as const) {
      const text = Buffer.from(`${before}${secret}; and more`).toString(alphabet)
      for (const width of [1, 5, 11, 40, 60, 64, 76, 1000]) {
        const lines = text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []
        for (const end of ['\n', '\r\n', '\n    ', '\\n', '\\r\\n']) {
          const shown = redact(`token: ${lines.join(end)}.`)
          assert.match(shown, /^token: [\w\s\\+/-]*\*\*\*[\w\s\\+/=-]*\.$/, shown)
          assert.ok(
            shown.replace(/\s|\\[nr]|\*/g, '').length < text.length - (secret.length * 8) / 6 + 14,
            `${width}: ${shown}`,
          )
        }
        // Line by line, as a log is read, and cut off anywhere.
        const whole = redactLines(lines)
        assert.equal(whole.length, lines.length)
        assert.equal(whole.join('').replace(/(\*\*\*)+/, '***'), redact(text))
        for (let cut = 1; width >= 40 && cut < lines.length; cut++) {
          for (const part of [lines.slice(cut), lines.slice(0, cut)]) {
            const left = part.map((line) => redact(line)).join('\n')
            assert.doesNotMatch(left.replace(/\w*$/, ''), /[\w+/-]{38}/, left)
          }
        }
      }
    }
  }
})

test('a secret that is broken into lines is recognised, in its short forms and in its others too', () => {
  const secret = 'pass+w/rd'
  const { redact, redactLines } = redactorOf(secret)
  for (const form of [
    secret,
    Buffer.from(secret).toString('base64'),
    Buffer.from(`x${secret}`).toString('base64').slice(2, 12),
    encodeURIComponent(secret),
  ]) {
    for (let at = 1; at < form.length; at++) {
      const [first, second] = [form.slice(0, at), form.slice(at)]
      assert.equal(redact(`>${first}\n  ${second}<`), '>***<', `${first}|${second}`)
    }
  }
  assert.deepEqual(redactLines(['a pass', ' +w/rd.', '', 'more']), ['a ***', '***.', '', 'more'])
  // Two lines may well have a short word between them.
  assert.equal(redactorOf('term').redact('after\nmoon'), 'after\nmoon')
})

test('what many texts have in common with a secret is no piece of it', () => {
  const { redact } = redactorOf('https://alice:hidden@db.example.com/shop', `${'\0'.repeat(40)}${'\xff'.repeat(40)}key`)
  for (const text of [
    Buffer.from('https://example.org').toString('base64'),
    'A'.repeat(60),
    '-'.repeat(60),
    '_'.repeat(60),
  ])
    assert.equal(redact(text), text)
})

test('each line of a secret of several lines is one, if it has 4 characters or more', () => {
  const { redact } = redactorOf('-----BEGIN KEY-----\r\nc2VjcmV0\r\nabc\r\n')
  assert.equal(redact('x c2VjcmV0 y\n-----BEGIN KEY-----'), 'x *** y\n***')
  assert.equal(redact('abc'), 'abc')
  assert.equal(redact('-----BEGIN KEY-----\nc2VjcmV0\nabc\n'), '***')
})

test('overlapping secrets leave no piece of either', () => {
  const { redact } = redactorOf('hello-wor', 'wor-ld', 'aaaa')
  assert.equal(redact('>hello-wor-ld<'), '>***<')
  assert.equal(redact(`>${'a'.repeat(100_000)}<`), '>***<')
  assert.equal(redact('hello-worwor-ld'), '******')
})

test('too short a secret is not masked, for it would blacken everything', () => {
  const redactor = createRedactor()
  assert.deepEqual(redactor.add('abc'), [])
  assert.deepEqual(redactor.add('  a \n'), [])
  assert.equal(redactor.redact('abc'), 'abc')
})

test('adding tells which forms the runner does not know yet', () => {
  const redactor = createRedactor()
  const forms = redactor.add('simple-secret')
  for (const form of ['simple-secret', 'c2ltcGxlLXNlY3JldA==', 'c2ltcGxlLXNlY3JldA'])
    assert.ok(forms.includes(form), form)
  assert.deepEqual(redactor.add('simple-secret'), [])
})

test('a private key and a megabyte of log: the work grows in step with the log, whatever is in it', () => {
  const key = Array.from({ length: 50 }, (_, index) => `${index}${'MIIEpAIBAAKCAQEA'.repeat(4)}`).join('\n')
  const { redact, redactLines } = redactorOf(key)
  const wrapped = (text: string): string =>
    (
      Buffer.from(text)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).join('\n')
  const line = 'an ordinary line of a log, nothing secret in it\n'
  const works = {
    text: (count: number) => assert.equal(redact(line.repeat(count)), line.repeat(count)),
    lines: (count: number) => redactLines(line.repeat(count).split('\n')),
    base64: (count: number) => assert.equal(redact(wrapped(line.repeat(count))), wrapped(line.repeat(count))),
    secret: (count: number) =>
      assert.ok(redact(wrapped(`${key}\n`.repeat(count / 90))).replaceAll('***', '').length < 20),
  }
  for (const [name, work] of Object.entries(works)) {
    const times = growth(5_000, work)
    assert.ok(times < 10, `${name}: ${times} times the work for four times the log`)
  }
})
