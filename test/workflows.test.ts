// The workflows that a reader copies, and our own: what they may do is written down, and deployments wait for each other.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'

const root = path.resolve(import.meta.dirname, '..')
const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8')
const within = (folder: string): readonly string[] =>
  fs.readdirSync(path.join(root, folder)).map((file) => `${folder}/${file}`)

interface Step {
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
}

type Concurrency = string | { readonly 'cancel-in-progress'?: unknown }

interface Workflow {
  readonly on?: unknown
  readonly permissions?: Readonly<Record<string, string>>
  readonly concurrency?: Concurrency
  readonly jobs?: Readonly<
    Record<string, Pick<Workflow, 'permissions' | 'concurrency'> & { readonly steps?: readonly Step[] }>
  >
}

/** Whole workflows only: a page may also show a step by itself. */
const shown = ['README.md', ...within('docs').filter((file) => file.endsWith('.md'))].flatMap((file) =>
  [...read(file).matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm)]
    .map(([, indent = '', text = '']) => parse(text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')) as Workflow)
    .filter((document) => document?.jobs !== undefined)
    .map((workflow, index) => [`${file}, workflow ${index + 1}`, workflow] as const),
)
const examples = within('examples/workflows').map((file) => [file, parse(read(file)) as Workflow] as const)
const own = within('.github/workflows').map((file) => [file, parse(read(file)) as Workflow] as const)

const NEEDED: readonly (readonly [input: string, value: string, permission: string])[] = [
  ['status-check', 'true', 'statuses'],
  ['deployment', 'true', 'deployments'],
  ['comment', 'true', 'pull-requests'],
]

for (const [name, { permissions: all, concurrency: group, jobs = {} }] of [...shown, ...examples]) {
  const steps = Object.values(jobs).flatMap(({ permissions = all, concurrency = group, steps = [] }) =>
    steps.map((step) => ({ step, permissions, concurrency })),
  )
  const ours = steps.filter(({ step }) => step.uses?.startsWith('swarm-stack-deploy/'))

  test(`${name} says what its token may, and that is enough and no more than it needs`, () => {
    assert.ok(ours.length > 0)
    for (const { step, permissions } of ours) {
      assert.ok(permissions !== undefined, 'no permissions')
      const { contents, ...others } = permissions
      const isCheckedOut = steps.some((one) => one.step.uses?.startsWith('actions/checkout@'))
      assert.equal(contents, isCheckedOut ? 'read' : undefined)
      for (const [input, value, permission] of NEEDED) {
        if (`${step.with?.[input]}` === value)
          assert.equal(permissions[permission], 'write', `${input} needs ${permission}`)
      }
      const known = ['statuses', 'deployments', 'pull-requests', 'packages', 'id-token', 'actions']
      assert.deepEqual(
        Object.keys(others).filter((key) => !known.includes(key)),
        [],
      )
    }
  })

  const writing = ours.filter(({ step }) => !['plan', 'status', 'list'].includes(`${step.with?.command ?? 'deploy'}`))
  if (writing.length > 0) {
    test(`${name} never cuts off a deployment for a newer one`, () => {
      for (const { concurrency } of writing) {
        assert.notEqual(concurrency, undefined, 'no concurrency')
        // A group by its name alone waits, too.
        if (typeof concurrency === 'object') assert.equal(concurrency['cancel-in-progress'], false)
      }
    })
  }
}

for (const [name, { permissions }] of own) {
  test(`${name} may only read, and pins what it runs`, () => {
    assert.deepEqual(permissions, { contents: 'read' })
    for (const [, action = '', version = ''] of read(name).matchAll(/uses: (\S+)@(\S+)/g)) {
      if (!action.startsWith('./')) assert.match(version, /^[0-9a-f]{40}$/, action)
    }
  })
}

test('the action has what the Marketplace asks for, and no step after the job', () => {
  const { name, description, branding, runs } = parse(read('action.yml')) as Readonly<Record<string, unknown>>
  assert.match(`${name}`, /^.{5,60}$/)
  assert.match(`${description}`, /^.{20,125}$/)
  const { icon, color } = branding as Readonly<Record<string, string>>
  assert.match(icon ?? '', /^[a-z-]+$/)
  assert.ok(['white', 'black', 'yellow', 'blue', 'green', 'orange', 'red', 'purple', 'gray-dark'].includes(color ?? ''))
  // What it opens is closed when the process ends, and nothing is left on the runner to clean up: docs/github.md.
  assert.deepEqual(runs, { using: 'node24', main: 'dist/index.js' })
})
