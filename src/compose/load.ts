// Files + variables → `Stack`: the entry to the room, and the answer that it gives.
import { posix } from 'node:path'
import type { Position, Problem } from '../errors.ts'
import { asWritten, noteValues, type Written } from './asWritten.ts'
import type { FileReader } from './fileReader.ts'
import { makeFindings } from './findings.ts'
import { warnOfIgnored } from './ignoredKeys.ts'
import { loadFiles } from './loadFiles.ts'
import { byText } from './mergeValues.ts'
import { type Loading, type OpenedFile, openFile } from './openFile.ts'
import { withActiveProfiles } from './profiles.ts'
import { excerptOf, type Source } from './source.ts'
import type { Stack } from './stack.ts'
import type { Variables } from './variables.ts'

export interface LoadRequest {
  /** The paths as given, merged from left to right. */
  readonly files: readonly string[]
  /** What relative paths in all files start from; the first file's folder where not given. */
  readonly folder?: string | undefined
  readonly variables: Variables
  readonly readFile: FileReader
  /** `$HOME`, for a leading `~` in bind sources. */
  readonly home?: string | undefined
  /** The swarm has the secrets already: what they hold is not read, and the stack has no data of them. */
  readonly secretsAreThere?: boolean | undefined
}

export interface LoadResult {
  /** Undefined where one of the problems is an error. */
  readonly stack: Stack | undefined
  /** The top-level `name:`, or that there is none, in spite of errors elsewhere; undefined where that could not be read. */
  readonly named: Pick<Stack, 'name' | 'namePosition'> | undefined
  /** In spite of errors elsewhere: those of the manifest that could be read, which nothing that is said may show. */
  readonly secrets: Stack['secrets']
  /** Of all files, errors and warnings, each with its position and an excerpt. */
  readonly problems: readonly Problem[]
  /** The excerpt for a position that another room has found something at; undefined where it is of no file read here. */
  readonly excerptAt: (position: Position) => string | undefined
  /** The manifests in the order given, by the names that messages show. */
  readonly manifests: readonly string[]
  /** These, what they include or extend, and the contents of configs, by the same names: never secrets nor env files. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

export function loadStack(request: LoadRequest): LoadResult {
  const { files, readFile, home, secretsAreThere = false } = request
  const written: Written = { values: new Map(), texts: new Map() }
  const variables = noteValues(request.variables, written)
  const order: string[] = []
  const findings = makeFindings(order)
  const sources = new Map<string, Source>()
  const loading: Loading = {
    readFile,
    findings,
    home,
    secretsAreThere,
    sources,
    written,
    order,
    files: new Map(),
    opened: new Map(),
    extended: new Map(),
    roots: [],
    tooDeep: new Set(),
    included: new Map(),
    includes: { count: 0 },
    warned: new Set(),
  }
  if (files.length === 0) findings.error(undefined, 'no manifest is given', 'Name one in the input `manifest`.')
  const opened = files.map((file) =>
    openFile(loading, file, ({ shown, reason, remedy }) => {
      findings.error(undefined, `the manifest ${shown} ${reason}`, remedy)
    }),
  )
  const folder = request.folder ?? posix.dirname(opened[0]?.absolute ?? '/')
  const project = { files: opened.filter((file) => file !== undefined), folder, variables, chain: [] }
  const loaded = loadFiles(loading, project)
  const stack = loaded && withActiveProfiles(loaded, request.variables, findings)
  warnOfIgnored(loading.roots, findings)
  return {
    stack: stack === undefined || findings.hasErrors() ? undefined : { ...sorted(stack), written },
    secrets: loaded?.secrets ?? new Map(),
    named: loaded && project.files.length === files.length ? named(loaded, project.files) : undefined,
    problems: findings
      .problems()
      .map(asWritten(written, new Set(stack?.services.map(({ name }) => name))))
      .map((problem) => ({
        ...problem,
        excerpt: problem.excerpt ?? (problem.position && excerptAt(sources, problem.position)),
      })),
    excerptAt: (position) => excerptAt(sources, position),
    manifests: project.files.map(({ source }) => source.file),
    files: loading.files,
  }
}

/** Files may have a name that has mistakes itself. */
function named({ name, namePosition }: Stack, files: readonly OpenedFile[]): LoadResult['named'] {
  return !name && files.some(({ root }) => root.entries.has('name')) ? undefined : { name, namePosition }
}

function sorted(stack: Stack): Stack {
  return { ...stack, services: [...stack.services].sort((left, right) => byText(left.name, right.name)) }
}

function excerptAt(sources: ReadonlyMap<string, Source>, { file, line, column }: Position): string | undefined {
  const source = sources.get(file)
  const start = source?.lines[line - 1]
  return source === undefined || start === undefined ? undefined : excerptOf({ source, offset: start + column - 1 })
}
