// Real public stack files, loaded and converted in this process, against what the docker CLI 28.2.2 sent for them. The
// files live beside a development checkout; without them nothing is registered here, and the fixtures prove the same.
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

if (fs.existsSync(path.join(corpus, 'INDEX.tsv'))) {
  const oracle: Oracle = await import(pathToFileURL(path.join(shared, 'oracle', 'canonical.mjs')).href)
  const [head = [], ...rows] = lines(path.join(corpus, 'INDEX.tsv')).map((line) => line.split('\t'))
  for (const row of rows) {
    const { id = '', run = '', vars = '-' } = Object.fromEntries(head.map((name, index) => [name, row[index]]))
    test(`corpus ${id}: ${run}`, () => {
      const text = fs.readFileSync(path.join(shared, 'oracle', 'expected', `${id}.json`), 'utf8')
      const expected: Expected = JSON.parse(text.replaceAll('@CORPUS@', corpus))
      const files = run.split(' + ').map((file) => path.join(corpus, file.trim()))
      const { spec, problems } = read(files, vars === '-' ? '' : path.join(corpus, vars))
      if (!expected.accepted) {
        assert.ok(
          spec === undefined || expected.mayAccept === true,
          `docker refuses it: ${expected.messages.join(' ')}`,
        )
        return
      }
      assert.ok(spec, problems.map(({ message, position }) => `${position?.line}: ${message}`).join('\n'))
      const known = (expected.deviations ?? []).map((place) => new RegExp(place))
      const found = oracle.differences(expected.created, oracle.created(requests(spec)))
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

function read(
  files: readonly string[],
  variablesFile: string,
): { spec: StackSpec | undefined; problems: readonly Problem[] } {
  const variables = new Map([['HOME', '/home/user']])
  for (const line of variablesFile === '' ? [] : lines(variablesFile)) {
    const at = line.indexOf('=')
    if (at !== -1) variables.set(line.slice(0, at), line.slice(at + 1))
  }
  if (process.env.PATH !== undefined) variables.set('PATH', process.env.PATH)
  const { stack, problems } = loadStack({
    files,
    variables: { get: (name) => variables.get(name), isHidden: () => false },
    readFile: workspaceFiles({ workspace: corpus }),
    home: variables.get('HOME'),
  })
  if (stack === undefined) return { spec: undefined, problems }
  return convertStack(stack, 'stk')
}

/** The calls that would create the stack. */
function requests(spec: StackSpec): unknown[] {
  const create = (kind: string, body: unknown): unknown => ({
    method: 'POST',
    path: `/${kind}/create`,
    status: 201,
    body: plain(body),
  })
  const ids = { secrets: new Identity('secret'), configs: new Identity('config') }
  const own = <One extends { external: boolean }>(objects: readonly One[]): Exclude<One, { external: true }>[] =>
    objects.filter((one): one is Exclude<One, { external: true }> => !one.external)
  return [
    ...own(spec.networks).map((network) => create('networks', network.spec)),
    ...own(spec.secrets).map((secret) => create('secrets', secret.spec)),
    ...own(spec.configs).map((config) => create('configs', config.spec)),
    ...spec.services.map((service) => create('services', withReferenceIds(service.spec, ids))),
  ]
}

/** Every name has the id that the oracle's engine gives it. */
class Identity extends Map<string, string> {
  readonly kind: string
  constructor(kind: string) {
    super()
    this.kind = kind
  }
  override has(): boolean {
    return true
  }
  override get(name: string): string {
    return idOf(this.kind, name)
  }
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
