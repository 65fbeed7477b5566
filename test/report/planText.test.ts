// A plan in the log, in the summary and in the outputs; and one whose every text is hostile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StackDifferences } from '../../src/backend/differences.ts'
import { commentMarker, commentOf } from '../../src/report/comment.ts'
import { createLog } from '../../src/report/log.ts'
import type { Outcome } from '../../src/report/outcome.ts'
import { outputsOf } from '../../src/report/outputs.ts'
import { planBlocks, planLines } from '../../src/report/planText.ts'
import { createRedactor } from '../../src/report/redactor.ts'
import { scrubAll } from '../../src/report/scrub.ts'
import { summaryOf } from '../../src/report/summary.ts'
import { githubHtml, tagsOf } from './githubMarkdown.ts'
import { assertGolden } from './golden.ts'

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`

const plan: StackDifferences = {
  objects: [
    {
      kind: 'network',
      name: 'shop_front',
      action: 'none',
      fields: [],
      more: 0,
      notes: ["it has other settings than the manifest (internal), and stays: a network can't be changed"],
    },
    {
      kind: 'secret',
      name: 'shop_token-0123abcd',
      action: 'rotate',
      fields: [],
      more: 0,
      notes: ['the content has changed: it takes the place of shop_token'],
    },
    {
      kind: 'service',
      name: 'shop_web',
      action: 'update',
      restarts: 'all',
      fields: [
        { field: 'replicas', old: '5', new: '2', note: 'scaled by hand' },
        {
          field: 'image',
          old: `nginx:1@${digest('a')}`,
          new: `nginx:1@${digest('b')}`,
          note: 'the tag names another image now',
        },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the manifest's syntax
        { field: 'env[DB_PASSWORD]', old: '(other)', new: '${DB_PASSWORD}' },
      ],
      more: 3,
      notes: [],
    },
    {
      kind: 'service',
      name: 'shop_api',
      action: 'create',
      fields: [{ field: 'image', old: '(absent)', new: 'api:2' }],
      more: 0,
      notes: [],
    },
    { kind: 'service', name: 'shop_old', action: 'remove', fields: [], more: 0, notes: ['it left'] },
  ],
  unchanged: 4,
}

const planned: Outcome = {
  status: 'planned',
  command: 'plan',
  stackName: 'shop',
  durationMs: 1234,
  changes: [
    { kind: 'secret', name: 'shop_token-0123abcd', action: 'rotate', fields: ['supersedes[shop_token]'] },
    { kind: 'service', name: 'shop_web', action: 'update', fields: ['replicas', 'image', 'env[DB_PASSWORD]'] },
    { kind: 'service', name: 'shop_api', action: 'create', fields: [] },
    { kind: 'service', name: 'shop_old', action: 'remove', fields: [] },
  ],
  planId: '01234567-89abcdef-01234567-89abcdef',
  plan,
  services: [],
  warnings: [],
}

test('in the log', () => assertGolden('planned.lines', `${planLines(plan).join('\n')}\n`))

test('in the summary', () => assertGolden('planned.md', summaryOf(planned)))

test('on a pull request', () => {
  const comment = commentOf(planned, commentMarker('shop', 'production'), 'https://github.test/run')
  assert.ok(comment.includes([...planBlocks(plan, planned.planId)].join('\n\n')), comment)
})

test('in the outputs', () => {
  const lines = [...outputsOf(planned)].map(([key, value]) => `${key}=${value}\n`)
  assertGolden('planned.outputs', lines.join(''))
})

test('a plan that changes nothing says so', () => {
  const summary = summaryOf({ ...planned, changes: [], plan: { objects: [], unchanged: 9 } })
  assert.match(summary, /is as the manifest says: a deployment would write nothing/)
  assert.match(summary, /9 objects of the stack as wanted already/)
})

test('words of our own stay, whatever the secrets are', () => {
  const redactor = createRedactor()
  for (const word of ['none', 'some', 'update', 'rotate', 'create']) redactor.add(word)
  const [, , web] = scrubAll(redactor, plan).objects
  assert.deepEqual([web?.action, web?.restarts], ['update', 'all'])
})

test('of very many objects some hundreds are shown, and the rest is counted', () => {
  const many = { ...plan, objects: Array.from({ length: 1000 }, () => plan.objects[2] ?? assert.fail()) }
  assert.ok(planLines(many).includes('… and 700 more objects'))
  assert.ok(Buffer.byteLength(summaryOf({ ...planned, plan: many })) < 1_000_000)
  assert.doesNotThrow(() => JSON.parse(outputsOf({ ...planned, plan: many }).get('changes') ?? ''))
})

const HOSTILE = [
  '\x1b[0m\x1b[32mPWNED\n+ service PWNED is created\r- PWNED',
  '::error file=x::PWNED',
  'x ##[error]PWNED\n| a | b |\n# PWNED',
  '`` ``` ```` PWNED\n```\n# PWNED\n',
  '<script>PWNED</script><img src=x onerror=y></details><!-- ',
  '![x](http://evil.example/p.png) @octocat #1 GH-3 a@evil.example :tada:',
]
for (const text of HOSTILE) {
  test(`hostile text stays text: ${JSON.stringify(text.slice(0, 20))}`, () => {
    const hostile: StackDifferences = {
      unchanged: 0,
      objects: plan.objects.map((one) => ({
        ...one,
        name: text,
        fields: one.fields.map(() => ({ field: text, old: text, new: text, note: text })),
        notes: [text],
      })),
    }
    let log = ''
    const { planned } = createLog({
      hasColours: true,
      redactor: createRedactor(),
      write: (part) => {
        log += part
      },
    })
    planLines(hostile).forEach(planned)
    for (const line of log.split('\n')) assert.doesNotMatch(line, /^\s*::|##\[/)
    // One line of each object that is written, and no escape sequence but those of its colour.
    const coloured = log.split('\n').filter((line) => line.includes('\x1b'))
    assert.deepEqual(
      coloured.map((line) => line.split('\x1b').length - 1),
      [2, 2, 2, 2],
    )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a colour begins with
    for (const line of coloured) assert.match(line, /^\x1b\[3[123]m[+~-] (?:secret|service) .*\x1b\[0m$/)
    const html = githubHtml([...planBlocks(hostile, text)].join('\n\n'))
    const known = /^<\/?(?:code|p|h3|ul|li|strong|table|thead|tbody|tr|th|td)>$/
    assert.deepEqual(
      tagsOf(html).filter((tag) => !known.test(tag)),
      [],
    )
    assert.doesNotMatch(html.replace(/<code>[\s\S]*?<\/code>/g, ''), /@\w|#\d|\bGH-\d|:\w+:/)
    const cells = html.match(/<t[dh]>/g) ?? []
    assert.equal(cells.length, 4 * (4 + 2), 'two tables of four columns')
  })
}
