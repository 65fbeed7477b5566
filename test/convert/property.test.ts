// Properties of what random manifests become; where a docker CLI of 28 or newer is installed, it is asked what it sends.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { loadStack } from '../../src/compose/load.ts'
import { workspaceFiles } from '../../src/compose/workspaceFiles.ts'
import { convertStack } from '../../src/convert/convertStack.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { besides, type Manifest, manifest, textOf, twoManifests, variables } from '../support/arbitraryManifest.ts'
import { dockerDeploy, dockerVersion, printExactly } from '../support/dockerCli.ts'
import { sentFor } from '../support/sentFor.ts'

/** Enough to find what goes wrong often within some days of runs, and little enough for a busy machine. */
const bounds = { numRuns: 40, interruptAfterTimeLimit: 3000 }
const style = fc.constantFrom<'json' | 'blocks'>('json', 'blocks')

/** A folder with the files that the manifests name, and those manifests, for as long as `use` takes. */
async function inFolder<T>(
  texts: readonly string[],
  use: (folder: string, files: string[]) => T | Promise<T>,
): Promise<T> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'manifest-'))
  try {
    const files = texts.map((_, index) => `${index + 1}.yml`)
    const all = [...Object.entries(besides), ...files.map((name, index) => [name, texts[index] ?? ''] as const)]
    for (const [name, text] of all) fs.writeFileSync(path.join(folder, name), text)
    return await use(folder, files)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

function convert(folder: string, files: readonly string[]): StackSpec {
  const { stack, problems } = loadStack({
    files,
    folder,
    readFile: workspaceFiles({ workspace: folder }),
    variables: { get: (name) => variables[name], isHidden: () => false },
    home: variables.HOME,
  })
  const { spec, problems: found } = stack === undefined ? { problems: [] } : convertStack(stack, 'shop')
  const errors = [...problems, ...found].filter(({ severity }) => severity === 'error')
  assert.ok(spec, errors.map(({ message }) => message).join('\n'))
  return spec
}

test('a manifest becomes the same bytes every time, in whatever style and order it is written', async () => {
  await fc.assert(
    fc.asyncProperty(manifest, async (values) => {
      const texts = [textOf(values, 'json'), textOf(values, 'blocks'), textOf(turned(values), 'json')]
      const specs = texts.map((text) =>
        inFolder([text], (folder, files) => printExactly(sentFor(convert(folder, files))).replaceAll(folder, '/w')),
      )
      const [first, ...others] = await Promise.all(specs)
      for (const other of others) assert.equal(other, first)
    }),
    { ...bounds },
  )
})

test('what is sent is JSON that reads back as it was', async () => {
  await fc.assert(
    fc.asyncProperty(manifest, style, async (values, form) => {
      const sent = await inFolder([textOf(values, form)], (folder, files) => sentFor(convert(folder, files)))
      assert.deepEqual(JSON.parse(printExactly(sent)), sent)
    }),
    { ...bounds },
  )
})

test('a file over itself changes no object, and none is lost', async () => {
  await fc.assert(
    fc.asyncProperty(twoManifests, async ([first]) => {
      const text = textOf(first, 'json')
      const [once, twice] = await Promise.all([
        inFolder([text], (folder, files) => names(convert(folder, files))),
        inFolder([text, text], (folder, files) => names(convert(folder, files))),
      ])
      assert.deepEqual(twice, once)
    }),
    { ...bounds },
  )
})

if (Number(dockerVersion()?.split('.')[0] ?? 0) >= 28) {
  const asDocker = async (texts: readonly string[]): Promise<void> => {
    await inFolder(texts, async (folder, files) => {
      const result = await dockerDeploy(folder, files, 'shop', variables)
      assert.ok('sent' in result, `docker refuses it: ${'refusal' in result ? result.refusal : ''}`)
      assert.deepEqual(asRead(sentFor(convert(folder, files))), asRead(result.sent))
    })
  }

  test('one file: what the docker CLI sends', async () => {
    await fc.assert(
      fc.asyncProperty(manifest, style, (values, form) => asDocker([textOf(values, form)])),
      { ...bounds, endOnFailure: true },
    )
  })

  test('two files: what the docker CLI sends', async () => {
    await fc.assert(
      fc.asyncProperty(twoManifests, style, (both, form) => asDocker(both.map((values) => textOf(values, form)))),
      { ...bounds, endOnFailure: true },
    )
  })
}

// --- Internal helpers ---

/** What an object is, and not what it has: these count although they are empty. */
const markers = new Set(['Global', 'GlobalJob', 'Replicated', 'ReplicatedJob', 'Runtime'])

/**
 * As the engine reads a body: null, an empty list and an empty mapping are nothing. docker leaves the order of two references
 * to one secret or config to chance.
 */
function asRead(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asRead)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const read = asRead(inner)
    return [key, (key === 'Secrets' || key === 'Configs') && Array.isArray(read) ? read.sort(byContent) : read]
  })
  return Object.fromEntries(entries.filter(([key, inner]) => markers.has(key) || !isNothing(inner)))
}

function isNothing(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}

function byContent(left: unknown, right: unknown): number {
  return printExactly(left) < printExactly(right) ? -1 : 1
}

/** The same with the keys of all mappings the other way round. */
function turned(values: Manifest): Manifest {
  const turn = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turn)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, inner]) => [key, turn(inner)]),
    )
  }
  return turn(values) as Manifest
}

function names({ networks, secrets, configs, services }: StackSpec): string[] {
  return [networks, secrets, configs, services].flatMap((objects) => objects.map(({ name }) => name))
}
