import path from 'node:path'
import type { FileReader } from '../compose/fileReader.ts'
import type { Variables } from '../compose/variables.ts'
import { workspaceFiles } from '../compose/workspaceFiles.ts'
import { DeployError, type Problem } from '../errors.ts'
import type { ReleaseRecord } from '../history/record.ts'
import type { Manifest } from './manifest.ts'

/** A manifest as a release record holds it. */
export interface KeptManifest {
  /** The record's files under the paths that they had; what a record never holds, such as an env file, comes from the workspace. */
  readonly readFile: FileReader
  /** Whatever else keeps it from being deployed again: a variable that had a value then, and now has none. */
  problemsWith(variables: Pick<Variables, 'get'>): readonly Problem[]
}

/** @param problems those that are known already */
export function keptManifest(
  record: ReleaseRecord,
  { workspace, temporary }: { readonly workspace: string; readonly temporary?: string | undefined },
  problems: readonly Problem[],
): KeptManifest {
  const files = filesOf(record)
  const readWorkspace = workspaceFiles({ workspace, temporary })
  return {
    readFile(file) {
      const absolute = path.resolve(workspace, file)
      const relative = path.relative(workspace, absolute)
      const shown = relative.startsWith('..') || path.isAbsolute(relative) ? absolute : relative
      const content = files.get(shown)
      return content === undefined ? readWorkspace(file) : { absolute, shown, content }
    },
    problemsWith: (variables) => [
      ...problems,
      ...record.values.variables
        .filter((name) => variables.get(name) === undefined)
        .map((name) => ({
          severity: 'error' as const,
          code: 'manifest' as const,
          message: `the variable ${name}, of which revision ${record.revision} had a value, is not set`,
          remedy: "Give it in `secrets`, `variables`, an `env-file` or the step's `env`.",
        })),
    ],
  }
}

/** Throws where the stack was made of more than the record holds: a variable may lead to another file than it did then. */
export function requireKept(record: ReleaseRecord, { source }: Pick<Manifest, 'source'>): void {
  const files = filesOf(record)
  const strange = [...source.files.keys()].filter((name) => !files.has(name))
  if (strange.length === 0) return
  const names = strange.join(', ')
  throw new DeployError(
    'manifest',
    `the release record of revision ${record.revision} does not hold ${names}, which its manifest names by the variables of this run`,
    { remedy: 'Give the variables the values that they had then, or choose another `revision`.' },
  )
}

// --- Internal helpers ---

function filesOf({ files, manifest, values: { manifests } }: ReleaseRecord): ReadonlyMap<string, Uint8Array> {
  const [first, second] = manifests
  return second === undefined && first !== undefined ? new Map([...files, [first, Buffer.from(manifest)]]) : files
}
