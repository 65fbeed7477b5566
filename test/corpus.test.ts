// Stack files, loaded and converted in this process, against what the docker CLI 28.2.2 sent for them: those of
// test/fixtures/convert, and where they lie beside the checkout, real public ones too.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { loadStack } from '../src/compose/load.ts'
import { workspaceFiles } from '../src/compose/workspaceFiles.ts'
import { convertStack } from '../src/convert/convertStack.ts'
import { withReferenceIds } from '../src/convert/references.ts'
import type { StackSpec } from '../src/convert/stackSpec.ts'
import type { Problem } from '../src/errors.ts'
import { goldenFixtures, goldenOf } from './support/convertFixtures.ts'
import { standInId } from './support/dockerCli.ts'

const shared = path.resolve(import.meta.dirname, '..', '..', 'shared')
const corpus = path.join(shared, 'corpus')

interface Expected {
  readonly accepted: boolean
  readonly mayAccept?: boolean
  readonly deviations?: readonly string[]
  readonly messages: readonly string[]
  readonly created?: unknown
}

interface Oracle {
  created(log: readonly unknown[]): unknown
  differences(left: unknown, right: unknown): string[]
}

test('the calls that create the stacks of our own fixtures are those of the docker CLI', () => {
  for (const { name, directory, files, environment } of goldenFixtures()) {
    // There the docker CLI loses a key: see docs/compatibility.md.
    if (name === 'everything') continue
    const paths = files.map((file) => path.join(directory, file))
    const { spec, problems } = read(paths, new Map(Object.entries(environment)), directory)
    assert.ok(spec, problems.map(({ message }) => message).join('\n'))
    const { networks, secrets, configs, services } = goldenOf({ name, directory, files, environment })
    const golden = [networks, secrets, configs, services].flatMap((bodies) => Object.values(bodies))
    const bodies = requests(spec, standInId).map(({ body }) => body)
    assert.deepEqual(byName(bodies), byName(golden.map(plain)), name)
  }
})

if (fs.existsSync(path.join(corpus, 'INDEX.tsv'))) {
  const oracle: Oracle = await import(pathToFileURL(path.join(shared, 'oracle', 'canonical.mjs')).href)
  const [head = [], ...rows] = lines(path.join(corpus, 'INDEX.tsv')).map((line) => line.split('\t'))
  for (const row of rows) {
    const { id = '', run = '', vars = '-' } = Object.fromEntries(head.map((name, index) => [name, row[index]]))
    test(`corpus ${id}: ${run}`, () => {
      const text = fs.readFileSync(path.join(shared, 'oracle', 'expected', `${id}.json`), 'utf8')
      const expected: Expected = JSON.parse(text.replaceAll('@CORPUS@', corpus))
      const files = run.split(' + ').map((file) => path.join(corpus, file.trim()))
      const { spec, problems } = read(files, variablesOf(vars === '-' ? '' : path.join(corpus, vars)), corpus)
      if (!expected.accepted) {
        assert.ok(
          spec === undefined || expected.mayAccept === true,
          `docker refuses it: ${expected.messages.join(' ')}`,
        )
        return
      }
      assert.ok(spec, problems.map(({ message, position }) => `${position?.line}: ${message}`).join('\n'))
      const known = (expected.deviations ?? []).map((place) => new RegExp(place))
      const found = oracle.differences(expected.created, oracle.created(requests(spec, idOf)))
      assert.deepEqual(
        found.filter((line) => !known.some((place) => place.test(line))),
        [],
      )
    })
  }
}

function lines(file: string): string[] {
  return fs.readFileSync(file, 'utf8').trim().split('\n')
}

function variablesOf(variablesFile: string): Map<string, string> {
  const variables = new Map([['HOME', '/home/user']])
  for (const line of variablesFile === '' ? [] : lines(variablesFile)) {
    const at = line.indexOf('=')
    if (at !== -1) variables.set(line.slice(0, at), line.slice(at + 1))
  }
  if (process.env.PATH !== undefined) variables.set('PATH', process.env.PATH)
  return variables
}

function read(
  files: readonly string[],
  variables: ReadonlyMap<string, string>,
  workspace: string,
): { spec: StackSpec | undefined; problems: readonly Problem[] } {
  const { stack, problems } = loadStack({
    files,
    variables: { get: (name) => variables.get(name), isHidden: () => false },
    readFile: workspaceFiles({ workspace }),
    home: variables.get('HOME'),
  })
  if (stack === undefined) return { spec: undefined, problems }
  return convertStack(stack, workspace === corpus ? 'stk' : 'shop')
}

interface Request {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
}

/** How the peer that was asked gives ids. */
type GiveId = (kind: 'secret' | 'config', name: string) => string

/** The calls that would create the stack. */
function requests(spec: StackSpec, giveId: GiveId): Request[] {
  const create = (kind: string, body: unknown): Request => ({
    method: 'POST',
    path: `/${kind}/create`,
    status: 201,
    body: plain(body),
  })
  const ids = {
    secrets: new Map(spec.secrets.map(({ name }) => [name, giveId('secret', name)])),
    configs: new Map(spec.configs.map(({ name }) => [name, giveId('config', name)])),
  }
  const own = <One extends { external: boolean }>(objects: readonly One[]): Exclude<One, { external: true }>[] =>
    objects.filter((one): one is Exclude<One, { external: true }> => !one.external)
  return [
    ...own(spec.networks).map((network) => create('networks', network.spec)),
    ...own(spec.secrets).map((secret) => create('secrets', secret.spec)),
    ...own(spec.configs).map((config) => create('configs', config.spec)),
    ...spec.services.map((service) => create('services', withReferenceIds(service.spec, ids))),
  ]
}

function byName(bodies: readonly unknown[]): unknown[] {
  const key = (body: unknown): string => (body as { Name: string }).Name
  return bodies.toSorted((left, right) => (key(left) < key(right) ? -1 : 1))
}

function idOf(kind: string, name: string): string {
  const digest = createHash('sha256').update(`${kind}:${name}`).digest('base64')
  return digest
    .replace(/[^a-z0-9]/gi, '')
    .toLowerCase()
    .slice(0, 25)
}

/** As the expectations are read: numbers beyond a double's are rounded on both sides. */
function plain(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)))
}
