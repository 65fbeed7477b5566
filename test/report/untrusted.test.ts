import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeBlock, codeSpan, markdownText, shortImage } from '../../src/report/markdown.ts'
import { bounded, cleanLine, cleanLines, cleanText, safeLine } from '../../src/report/untrusted.ts'
import { growth } from '../support/growth.ts'

test('control, bidi and escape sequences are removed, CR ends a line', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['\x1b[31mred\x1b[0m \x1b[1;2Hmoved', 'red moved'],
    ['\x1b]0;title\x07a \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'a link'],
    ['\x1b]0;never ended\nnext', '0;never ended\nnext'],
    ['\x1bPdcs\x1b\\x\x1b(By\x9b5mz', 'xyz'],
    ['safe\rEVIL', 'safe\nEVIL'],
    ['a\r\nb\u2028c\u0085d\fe', 'a\nb\nc\nd\ne'],
    ['\u202egnp.exe\u202c \u2066x\u2069 \u200fy', 'gnp.exe x y'],
    ['a\u0000b\u0007c\u007fd\u009fe', 'abcde'],
    ['a\u200bb\ufeffc\u{e0041}d\u3164', 'abcd'],
    ['tab\tkept', 'tab\tkept'],
    ['lone \ud800 half', 'lone \ufffd half'],
    ['grüße 世界 🚀', 'grüße 世界 🚀'],
  ]
  for (const [text, expected] of cases) {
    assert.equal(cleanText(text), expected, JSON.stringify(text))
    assert.equal(cleanText(expected), expected)
  }
})

test('a line is one line, bounded, and whole characters stay whole', () => {
  assert.equal(cleanLine('  a\n\n b\tc  '), 'a b c')
  assert.equal(cleanLine('x'.repeat(600)), `${'x'.repeat(499)}…`)
  assert.equal(bounded('🚀🚀', 2), '…')
  assert.equal(bounded('🚀🚀', 4), '🚀🚀')
})

test('a log tail keeps its last lines and says how many are missing', () => {
  assert.deepEqual(cleanLines('1\n2\n3\n4\n', 2), ['… 2 earlier lines', '3', '4'])
  assert.deepEqual(cleanLines('a\t b \n\nc', 5), ['a     b', '', 'c'])
})

test('a megabyte on one line: the work grows in step with it', () => {
  for (const piece of ['x', '\x1b]', '\x1b[', '\u202e', '`', '::', '@a ']) {
    const times = growth(250_000, (size) => {
      const text = piece.repeat(size / piece.length)
      const [line] = cleanLines(text, 3, 100)
      for (const one of [cleanLine(text), line ?? '', markdownText(text), codeSpan(text)])
        assert.ok(one.length < 10_000)
    })
    assert.ok(times < 10, `${JSON.stringify(piece)}: ${times} times the work for four times the length`)
  }
})

test('no line can command the runner', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['::error::x', ': :error: :x'],
    ['  ::set-output name=a::b', '  : :set-output name=a: :b'],
    [':::', ': : :'],
    ['a ##[error]b ###[group]', 'a ## [error]b ### [group]'],
    ['listen [::]:80', 'listen [: :]:80'],
    ['a: b # c ## d', 'a: b # c ## d'],
  ]
  for (const [text, expected] of cases) {
    assert.equal(safeLine(text), expected)
    assert.equal(safeLine(expected), expected)
  }
})

test('prose in Markdown is nothing but text', () => {
  const B = '&#8203;'
  const cases: readonly (readonly [string, string])[] = [
    ['*a* _b_ ~c~', '\\*a\\* \\_b\\_ \\~c\\~'],
    ['set `a_b` or `c', 'set `a_b` or \\`c'],
    ['``a`` ` b `', '\\``a`\\` \\` b \\`'],
    ['<img src=x> & &lt;', '&lt;img src=x&gt; &amp; &amp;lt;'],
    ['![i](u) [l](u)', '!\\[i\\](u) \\[l\\](u)'],
    ['@octocat and a@b.example', `@${B}octocat and a@${B}b.example`],
    ['#12, acme/shop#12, GH-12', `\\#${B}12, acme/shop\\#${B}12, GH${B}-12`],
    ['https://x.example www.x.example', `https:${B}//x.example www${B}.x.example`],
    [':tada: 12:30:45', `:${B}tada: 12:${B}30:45`],
    ['$x$', `\\$${B}x\\$${B}`],
    ['a|b\\|c', 'a\\|b\\\\\\|c'],
    ['# head', `\\#${B} head`],
    ['- item', '\\- item'],
    ['1. item', '1\\. item'],
    ['> quote', '&gt; quote'],
    ['--- \n===', '\\--- ==='],
    ['plain words, (1) and 50%.', 'plain words, (1) and 50%.'],
  ]
  for (const [text, expected] of cases) assert.equal(markdownText(text), expected)
})

test('nothing in a code span or block can end it', () => {
  assert.equal(codeSpan('a'), '`a`')
  assert.equal(codeSpan('a`b``c'), '```a`b``c```')
  assert.equal(codeSpan('`a`'), '`` `a` ``')
  assert.equal(codeSpan('a|b\nc'), '`a¦b c`')
  assert.equal(codeSpan(''), '')
  assert.equal(codeBlock('```\n````\n</details>\n@x'), '`````text\n```\n````\n</details>\n@x\n`````')
})

test('an image keeps its name and the beginning of its digest', () => {
  const digest = `sha256:${'ab'.repeat(32)}`
  assert.equal(shortImage(`nginx:1.27@${digest}`), 'nginx:1.27@sha256:abababababab…')
  assert.equal(shortImage('nginx:1.27'), 'nginx:1.27')
})
