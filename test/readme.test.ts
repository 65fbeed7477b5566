// What README and examples show is run: a reader copies it.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { loadStack } from '../src/compose/load.ts'
import { workspaceFiles } from '../src/compose/workspaceFiles.ts'
import { convertStack } from '../src/convert/convertStack.ts'
import { inputVariable } from '../src/inputs/table.ts'
import { readInputs } from '../src/inputs.ts'

const root = path.resolve(import.meta.dirname, '..')
const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8')

interface Step {
  readonly uses?: string
  readonly with?: Readonly<Record<string, string>>
}

/** YAML blocks, without the indentation of the list they stand in. */
const blocks = blocksOf(readme)

function blocksOf(page: string): readonly string[] {
  return [...page.matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
}

function stepsOf(document: unknown): readonly Step[] {
  if (Array.isArray(document)) return document
  const { jobs = {} } = document as { readonly jobs?: Readonly<Record<string, { readonly steps: readonly Step[] }>> }
  return Object.values(jobs).flatMap(({ steps }) => steps)
}

/** A stand-in for what GitHub would put in place of `${{ … }}`. */
function filledIn(name: string, text: string): string {
  if (name === 'ssh-key') return '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n'
  return text.replaceAll(/\$\{\{.*?\}\}/g, name === 'revision' ? '3' : 'stand-in')
}

/** What the pages in docs/ show of workflows is held to the same. */
const pages = fs
  .readdirSync(path.join(root, 'docs'))
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) =>
    blocksOf(fs.readFileSync(path.join(root, 'docs', file), 'utf8'))
      .filter((text) => text.includes('uses: swarm-stack-deploy/'))
      .map((text, number) => [`docs/${file} block ${number + 1}`, parse(text)] as const),
  )

const workflows = fs.readdirSync(path.join(root, 'examples', 'workflows'))
const documents: readonly (readonly [string, unknown])[] = [
  ...blocks.map((text, number) => [`README block ${number + 1}`, parse(text)] as const),
  ...pages,
  ...workflows.map(
    (file) => [file, parse(fs.readFileSync(path.join(root, 'examples', 'workflows', file), 'utf8'))] as const,
  ),
]
const steps = documents.flatMap(([name, document]) =>
  stepsOf(document)
    .filter(({ uses }) => uses?.startsWith('swarm-stack-deploy/'))
    .map((step) => [name, step] as const),
)

test('the README shows the action at least twice, and every example workflow uses it', () => {
  assert.ok(steps.filter(([name]) => name.startsWith('README')).length >= 2)
  assert.deepEqual(
    workflows.filter((file) => !steps.some(([name]) => name === file)),
    [],
  )
})

for (const [name, { with: inputs = {} }] of steps) {
  test(`${name}: the inputs it shows are accepted as they stand`, () => {
    const env = Object.fromEntries(
      Object.entries(inputs).map(([key, value]) => [inputVariable(key), filledIn(key, String(value))]),
    )
    const { problems } = readInputs(
      { [inputVariable('github-token')]: 'stand-in', ...env, GITHUB_REPOSITORY: 'acme/shop' },
      { exists: (file) => file === 'docker-stack.yml', readText: () => undefined },
    )
    assert.deepEqual(problems, [])
  })
}

test("the workflows that deploy docker-stack.yml set the variables that the README's stack file needs", () => {
  const [stack = ''] = blocks.filter((text) => /^services:/m.test(text))
  const needed = [...stack.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
  assert.deepEqual(needed, ['VERSION', 'DB_PASSWORD'])
  const deploying = steps.filter(([name, step]) => workflows.includes(name) && step.with?.manifest !== undefined)
  assert.ok(deploying.length >= 2)
  for (const [name, { with: { variables = '', secrets = '' } = {} }] of deploying) {
    const given = [...`${variables}\n${secrets}`.matchAll(/^(\w+)=/gm)].map(([, key]) => key)
    for (const variable of needed) assert.ok(given.includes(variable), `${name}: ${variable}`)
  }
})

function problemsOf(files: readonly string[], folder: string): readonly string[] {
  const loaded = loadStack({
    files,
    variables: { get: (name) => (['VERSION', 'DB_PASSWORD'].includes(name) ? '1' : undefined), isHidden: () => false },
    readFile: workspaceFiles({ workspace: folder }),
  })
  const converted = loaded.stack === undefined ? [] : convertStack(loaded.stack, 'shop').problems
  return [...loaded.problems, ...converted].map(({ message }) => message)
}

test('the stack files that README and examples show deploy without a warning', (context) => {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync('/tmp'), 'readme-'))
  context.after(() => fs.rmSync(folder, { recursive: true }))
  const shown = blocks.filter((text) => /^services:/m.test(text))
  assert.ok(shown.length > 0)
  for (const [number, text] of shown.entries()) fs.writeFileSync(path.join(folder, `${number}.yml`), text)
  assert.deepEqual(
    shown.flatMap((_, number) => problemsOf([`${number}.yml`], folder)),
    [],
  )
  for (const example of ['shop', 'shop-broken'])
    assert.deepEqual(problemsOf([`examples/${example}/stack.yml`], root), [])
})

test('commands, files and failure codes that the README names are there', () => {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  for (const [, script = ''] of readme.matchAll(/npm run ([a-z:]+)/g)) assert.ok(script in scripts, script)
  for (const [, file = ''] of readme.matchAll(/\]\(([^)#:]+)\)/g)) assert.ok(fs.existsSync(path.join(root, file)), file)
  const outputs = fs.readFileSync(path.join(root, 'docs', 'outputs.md'), 'utf8')
  const table = readme.slice(readme.indexOf('## When it fails'), readme.indexOf('## Reference'))
  for (const [, cell = ''] of table.matchAll(/^\| (`[^|]*`) \|/gm)) {
    for (const [, code = ''] of cell.matchAll(/`([a-z-]+)`/g)) {
      if (code !== 'failure-reason') assert.ok(outputs.includes(`\`${code}\``), code)
    }
  }
})
