// Files + variables → `Stack`: parse, interpolate, validate, read, file by file, and merge. Source of the meaning:
// docker/cli cli/compose/loader at 28.2.2.
import { posix } from 'node:path'
import type { Position, Problem } from '../errors.ts'
import { asWritten, noteValues } from './asWritten.ts'
import { decodeText } from './decodeText.ts'
import type { FileReader } from './fileReader.ts'
import { type Findings, makeFindings } from './findings.ts'
import { isForbidden, refuseForbidden, warnOfIgnored } from './ignoredKeys.ts'
import { type Interpolation, interpolate } from './interpolate.ts'
import { mergeStacks } from './merge.ts'
import { byText } from './mergeValues.ts'
import type { MapNode } from './node.ts'
import { excerptOf, makeSource, type Place, type Source } from './source.ts'
import type { Stack } from './stack.ts'
import { readStack } from './stackOfFile.ts'
import { validate } from './validate.ts'
import type { Variables } from './variables.ts'
import { readVersion } from './version.ts'
import { parseYaml } from './yamlTree.ts'

export interface LoadRequest {
  /** The paths as given, merged from left to right. */
  readonly files: readonly string[]
  /** What relative paths in all files start from; the first file's folder where not given. */
  readonly folder?: string | undefined
  readonly variables: Variables
  readonly readFile: FileReader
  /** `$HOME`, for a leading `~` in bind sources. */
  readonly home?: string | undefined
}

export interface LoadResult {
  /** Undefined where one of the problems is an error. */
  readonly stack: Stack | undefined
  /** Of all files, errors and warnings, each with its position and an excerpt. */
  readonly problems: readonly Problem[]
  /** The excerpt for a position that another room has found something at; undefined where it is of no file read here. */
  readonly excerptAt: (position: Position) => string | undefined
}

interface Parsed {
  readonly source: Source
  readonly root: MapNode
  readonly version: number
}

export function loadStack(request: LoadRequest): LoadResult {
  const files = request.files.map((file) => request.readFile(file))
  const findings = makeFindings(files.map(({ shown }) => shown))
  const sources = new Map<string, Source>()
  const parsed = files.flatMap((read) => {
    if (read.content === undefined) {
      findings.error(undefined, `the manifest ${read.shown} ${read.reason}`, read.remedy)
      return []
    }
    return parseFile(read.shown, read.content, sources, findings) ?? []
  })
  if (request.files.length === 0) findings.error(undefined, 'no manifest is given', 'Name one in the input `manifest`.')
  checkVersions(parsed, findings)
  const folder = request.folder ?? posix.dirname(files[0]?.absolute ?? '/')
  const values = new Map<string, string>()
  const variables = noteValues(request.variables, values)
  const interpolation: Interpolation = { variables, findings, warned: new Set() }
  let stack: Stack | undefined
  const roots: MapNode[] = []
  for (const { root, version } of parsed) {
    refuseForbidden(root, findings)
    const interpolated = interpolate(interpolation, root)
    if (interpolated?.kind !== 'map') continue
    roots.push(interpolated)
    validate(interpolated, version, findings, isForbidden)
    const { readFile, home } = request
    const next = readStack({ findings, variables, readFile, folder, home, version }, interpolated)
    stack = stack === undefined ? next : mergeStacks(stack, next, findings)
  }
  warnOfIgnored(roots, findings)
  return {
    stack: stack === undefined || findings.hasErrors() ? undefined : { ...sorted(stack), variables: values },
    problems: findings.problems().map(asWritten(values, new Set(stack?.services.map(({ name }) => name)))),
    excerptAt: (position) => excerptAt(sources, position),
  }
}

function parseFile(
  shown: string,
  content: Uint8Array,
  sources: Map<string, Source>,
  findings: Findings,
): Parsed | undefined {
  const text = decodeText(content)
  const source = makeSource(shown, typeof text === 'string' ? text : text.text)
  sources.set(shown, source)
  const place: Place = { source, offset: 0 }
  if (typeof text !== 'string') {
    findings.error({ source, offset: text.offset }, text.message, text.remedy)
    return undefined
  }
  const root = parseYaml(source, findings)
  if (root === undefined) return undefined
  if (root.kind === 'map') return { source, root, version: readVersion(root, findings) }
  const message = root.kind === 'null' ? 'the file is empty' : 'the file must hold a mapping at its top level'
  findings.error(place, message, 'Begin with `services:`.')
  return undefined
}

function checkVersions(parsed: readonly Parsed[], findings: Findings): void {
  const [first, ...rest] = parsed
  for (const { root, version, source } of rest) {
    if (first === undefined || version === first.version) continue
    const place = root.entries.get('version')?.keyPlace ?? { source, offset: 0 }
    const message = `the version is 3.${version} here, but 3.${first.version} in ${first.source.file} (none counts as 3.13)`
    findings.error(place, message, 'Remove `version` from all files, or write the same everywhere.')
  }
}

function sorted(stack: Stack): Stack {
  return { ...stack, services: [...stack.services].sort((left, right) => byText(left.name, right.name)) }
}

function excerptAt(sources: ReadonlyMap<string, Source>, { file, line, column }: Position): string | undefined {
  const source = sources.get(file)
  const start = source?.lines[line - 1]
  return source === undefined || start === undefined ? undefined : excerptOf({ source, offset: start + column - 1 })
}
