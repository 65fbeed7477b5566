// A swarm that writes to deceive: every text of an outcome is hostile, and log, summary and outputs are read as the runner reads them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commentMarker, commentOf } from '../../src/report/comment.ts'
import { logOutcome } from '../../src/report/finalLog.ts'
import { createLog } from '../../src/report/log.ts'
import type { Outcome } from '../../src/report/outcome.ts'
import { OUTPUT_NAMES } from '../../src/report/outputs.ts'
import { createRedactor } from '../../src/report/redactor.ts'
import { writeReport } from '../../src/report/writeReport.ts'
import { githubHtml, tagsOf } from './githubMarkdown.ts'
import { failed } from './samples.ts'

const HOSTILE = [
  '::error file=x::PWNED',
  '\r::set-output name=a::PWNED\r\n  ::add-mask::PWNED',
  'x ##[error]PWNED ##[command]PWNED',
  '\x1b[2K\x1b[1A::stop-commands::PWNED',
  ':\u200b:error::PWNED ##\u202e[error]PWNED',
  '%0A::error::PWNED%0D%0A',
  '`` ``` ```` PWNED\n```\n# PWNED\n',
  '<script>PWNED</script><img src=x onerror=y></details></summary><!-- ',
  '![x](http://evil.example/p.png) [x](javascript:y) <http://evil.example> http://evil.example www.evil.example',
  '@octocat @acme/owners #1 acme/shop#2 GH-3 a@evil.example :tada: $x$ \\',
  '\u202egnp.exe\u2069 | a | b |\n| --- |\n* x _y_ ~z~',
  `endless ${'A'.repeat(1_000_000)}`,
]

const OWN_WORDS = 'status state code kind action severity stream restarts mode command planId'.split(' ')

/** The outcome with every text in it replaced, but for words of our own. */
function poisoned(value: unknown, text: string, key = ''): unknown {
  if (typeof value === 'string') return OWN_WORDS.includes(key) ? value : text
  if (Array.isArray(value)) return value.map((one) => poisoned(one, text, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poisoned(one, text, name)]))
}

const full: Outcome = {
  ...failed,
  warnings: [
    {
      severity: 'warning',
      code: 'manifest',
      message: 'm',
      excerpt: 'e',
      remedy: 'r',
      position: { file: 'f', line: 1, column: 1 },
    },
  ],
  // Every service gets the same hostile name, so the failure must not point to one.
  failure: failed.failure && { ...failed.failure, service: undefined },
  writes: { applied: ['a'], notApplied: ['b'], unknown: ['c'] },
  restored: {
    putBack: ['a'],
    removed: ['b'],
    kept: [{ name: 'c', why: 'w' }],
    notBack: [{ name: 'd', why: 'w' }],
    open: ['e'],
    trouble: 't',
    remedy: 'r',
  },
  planId: 'p',
  plan: {
    objects: [
      {
        kind: 'service',
        name: 'n',
        action: 'update',
        restarts: 'all',
        fields: [{ field: 'f', old: 'o', new: 'n', note: 'x' }],
        more: 1,
        notes: ['n'],
      },
    ],
    unchanged: 1,
  },
  stacks: [{ name: 's', services: 1, owner: 'o', revision: 1, release: 'r', status: 'degraded', health: 'h' }],
}

function rendered(outcome: Outcome, redactor = createRedactor()) {
  let text = ''
  const write = (part: string) => {
    text += part
  }
  const log = createLog({ redactor, write })
  for (const warning of outcome.warnings) log.problem(warning)
  log.info(outcome.failure?.message ?? '')
  log.notice(outcome.failure?.message ?? '', { title: outcome.failure?.message })
  log.debug(outcome.failure?.message ?? '')
  logOutcome(log, redactor, outcome)
  const files = new Map<string, string>()
  const append = (path: string, part: string) => void files.set(path, (files.get(path) ?? '') + part)
  const env = { GITHUB_OUTPUT: 'out', GITHUB_STEP_SUMMARY: 'summary' }
  assert.deepEqual(writeReport(outcome, { env, redactor, summary: true, append }).problems, [])
  return { log: text, summary: files.get('summary') ?? '', outputs: files.get('out') ?? '' }
}

/** Commands of a log as the runner finds them: `::` at a line's beginning, blanks aside, and `##[` anywhere. */
function commands(log: string): readonly string[] {
  return log.split(/\r\n|\r|\n/).flatMap((line) => {
    const name = /^\s*::([^\s:]+)[^:]*::/.exec(line)?.[1]
    if (name !== undefined) return [name]
    return line.includes('##[') || line.includes('::endgroup') ? [line] : []
  })
}

const clean = commands(rendered(full).log)

for (const [index, text] of HOSTILE.entries()) {
  const { log, summary, outputs } = rendered(poisoned(full, text) as Outcome)

  test(`hostile text ${index} issues no command and moves no cursor`, () => {
    assert.deepEqual(commands(log), clean)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    assert.doesNotMatch(log + summary + outputs, /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/)
    for (const line of [...log.split('\n'), ...outputs.split('\n')]) {
      if (!/^::(error|warning|notice|debug|group|endgroup)[ :]/.test(line)) assert.doesNotMatch(line, /::|##\[/)
      assert.doesNotMatch(line, /##\[/)
      assert.ok(line.length < 20_000)
    }
  })

  test(`hostile text ${index} is plain text in the summary`, () => {
    assert.ok(Buffer.byteLength(summary) < 200_000)
    const prose = withoutCode(summary).replaceAll('&#8203;', '\u200b')
    const tags = [...prose.matchAll(/<[^>]*>/g)].map(([tag]) => tag)
    assert.deepEqual(
      tags.filter((tag) => !/^<\/?(details|summary|code)>$/.test(tag)),
      [],
    )
    const outsideTags = prose.replace(/<code>.*?<\/code>/g, '')
    assert.doesNotMatch(outsideTags, /(?<!\\)[[\]`]|@\w|(?<!^|#)#(?=\w)|:\/\/|www\.|GH-|:\w+:/m)
    assert.equal((prose.match(/<details>/g) ?? []).length, (prose.match(/<\/details>/g) ?? []).length)
    assert.equal((prose.match(/^#/gm) ?? []).length, 5, 'headings')
    for (const [rows, separator = ''] of prose.matchAll(/^\|.*\n(\|(?: --- \|)+)\n(?:\|.*\n)*/gm)) {
      for (const row of rows.trimEnd().split('\n')) {
        const cells = row.replaceAll('\\\\', '').replaceAll('\\|', '').split('|').length
        assert.equal(cells, separator.split('|').length, row)
      }
    }
  })

  test(`hostile text ${index} becomes no link, image or markup where GitHub renders it`, () => {
    const hostile = poisoned(full, text) as Outcome
    for (const markdown of [
      summary,
      commentOf(hostile, commentMarker(text.slice(0, 255), text.slice(0, 255)), 'https://github.test/run'),
    ]) {
      const html = githubHtml(markdown)
      const own = '<a href="https://github.test/run">'
      const known =
        /^<\/?(details|summary|code|pre|p|h2|h3|ul|li|strong|table|thead|tbody|tr|th|td)>$|^<code class="language-text">$/
      assert.deepEqual(
        tagsOf(html.replace(own, '').replace('</a>', '')).filter((tag) => !known.test(tag)),
        [],
      )
      // What is no code must not be taken for a mention or a reference either.
      const prose = html.replace(/<!--.*?-->/g, '').replace(/<code[^>]*>[\s\S]*?<\/code>/g, '')
      assert.doesNotMatch(prose, /@\w|#\d|\bGH-\d|:\w+:/)
    }
  })

  test(`hostile text ${index} leaves the outputs whole`, () => {
    const values = new Map<string, string>()
    for (const [, name = '', , value = ''] of outputs.matchAll(/^([a-z-]+)<<(ghadelimiter_\S+)\n(.*)\n\2$/gm))
      values.set(name, value)
    assert.equal(values.size, OUTPUT_NAMES.length)
    assert.equal(outputs.split('\n').length, OUTPUT_NAMES.length * 3 + 1)
    assert.equal(JSON.parse(values.get('services') ?? '').length, 2)
    assert.ok((values.get('failure-message') ?? '').length <= 500)
  })
}

/** The summary without what is code, checked to be closed. */
function withoutCode(summary: string): string {
  const blocks = summary.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, 'CODE')
  return blocks.replace(/(?<![`\\])(`+)(?!`)(.*?)(?<!`)\1(?!`)/g, 'CODE')
}

test('thirty secrets, in every form, reach nothing', () => {
  const secrets = Array.from({ length: 30 }, (_, index) => `s3cr3t/${index}+"<ü>&\\ pass${index}::word`)
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  const forms = (secret: string): readonly string[] => [
    secret,
    `\x1b[1m${secret.slice(0, 5)}\x1b[0m${secret.slice(5)}`,
    JSON.stringify(secret),
    encodeURIComponent(secret),
    new URLSearchParams({ q: secret }).toString(),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(`user:${secret}`).toString('base64'),
    `${'x'.repeat(3990)}${secret}`,
  ]
  const found = secrets.flatMap((secret) => forms(secret)).join(' ')
  for (const text of [found, ...secrets.flatMap(forms)].slice(0, 60)) {
    const { log, summary, outputs } = rendered(poisoned(full, text) as Outcome, redactor)
    const all =
      log + summary + outputs + decodeURIComponent(log.replace(/%(?![0-9A-F]{2})/g, '%25').replace(/%[89A-F]./g, ''))
    const leak = /.{0,40}(?:s3cr3t|pass\d+|czNjcjN0|zM2NyM3).{0,20}/.exec(all)?.[0]
    assert.equal(leak, undefined, JSON.stringify(text.slice(0, 100)))
  }
})
