// The files of one project → `Stack`: interpolate, validate, read, file by file, and merge. Source of the meaning:
// docker/cli cli/compose/loader at 28.2.2; of `include` and `extends` the Compose Specification.
import type { Findings } from './findings.ts'
import { forget } from './forget.ts'
import { readIncluded } from './include.ts'
import { interpolate } from './interpolate.ts'
import { mergeStacks } from './merge.ts'
import type { MapNode } from './node.ts'
import type { Loading, OpenedFile } from './openFile.ts'
import type { Reading } from './reading.ts'
import type { Stack } from './stack.ts'
import { readStack } from './stackOfFile.ts'
import { validate } from './validate.ts'
import type { Variables } from './variables.ts'

export interface Project {
  /** Merged from left to right. */
  readonly files: readonly OpenedFile[]
  /** What relative paths in all of them start from. */
  readonly folder: string
  readonly variables: Variables
  /** The absolute paths of the files through which this project is included. */
  readonly chain: readonly string[]
}

/** Undefined where there is nothing to merge, because of errors that have been reported. */
export function loadFiles(loading: Loading, project: Project): Stack | undefined {
  const { findings, readFile, files: noted, home, secretsAreThere, warned, roots } = loading
  const { files, folder, variables, chain } = project
  checkVersions(files, findings)
  const trees = files.flatMap((file) => {
    const root = interpolate({ variables, findings, warned }, file.root)
    return root?.kind === 'map' ? { file, root } : []
  })
  let stack: Stack | undefined
  for (const [index, { file, root: whole }] of trees.entries()) {
    const root = trees.slice(index + 1).reduce((earlier: MapNode, later) => forget(earlier, later.root), whole)
    roots.push(root)
    validate(root, file.version, findings)
    const reading: Reading = {
      ...{ findings, variables, readFile, files: noted, folder, home, secretsAreThere },
      version: file.version,
    }
    const included = readIncluded(loading, reading, root, [...chain, file.absolute], loadFiles)
    const next = readStack({ loading, reading, file, root }, included)
    stack = stack === undefined ? next : mergeStacks(stack, next, findings)
  }
  return stack
}

function checkVersions(files: readonly OpenedFile[], findings: Findings): void {
  const [first, ...rest] = files
  for (const { root, version, source } of rest) {
    if (first === undefined || version === first.version) continue
    const place = root.entries.get('version')?.keyPlace ?? { source, offset: 0 }
    const message = `the version is 3.${version} here, but 3.${first.version} in ${first.source.file} (none counts as 3.13)`
    findings.error(place, message, 'Remove `version` from all files, or write the same everywhere.')
  }
}
