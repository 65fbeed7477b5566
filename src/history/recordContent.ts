import { stringify } from 'yaml'
import type { Problem } from '../errors.ts'

/** What a stack was loaded from. */
export interface ReleaseSource {
  /** The manifests' paths in the order of merging, as in `files`. */
  readonly manifests: readonly string[]
  /** Manifests, what they include or extend, and contents of configs, by path; neither secrets nor env files. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** The names of variables that had a value. */
  readonly variables: readonly string[]
  /** The commit that it is of; that of the run where not given. */
  readonly commit?: string | undefined
}

export interface RecordContent {
  readonly manifest: string
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly omitted: readonly string[]
}

/**
 * What of the source a record may hold, for whoever may use Docker may read it: a file with a secret in it is left out, and without its
 * manifest there is no record.
 * @param hides whether a text holds something that this run keeps secret
 */
export function recordContent(
  { manifests, files }: Omit<ReleaseSource, 'variables'>,
  hides: (text: string) => boolean,
): { readonly content: RecordContent | undefined; readonly warnings: readonly Problem[] } {
  const secret = [...files].filter(([path, bytes]) => hides(path) || texts(bytes).some(hides)).map(([path]) => path)
  const [faulty] = manifests.filter((path) => secret.includes(path))
  if (faulty !== undefined) {
    const why = `no release record is written: the manifest ${faulty} holds a value that this run keeps secret`
    return { content: undefined, warnings: [warning(why)] }
  }
  const [first] = manifests
  const isOne = manifests.length === 1
  const kept = [...files].filter(([path]) => !secret.includes(path) && !(isOne && path === first))
  return {
    content: {
      manifest: isOne ? decoded(files.get(first ?? '')) : includingAll(manifests),
      files: new Map(kept),
      omitted: secret,
    },
    warnings: secret.length === 0 ? [] : [warning(leftOut(secret))],
  }
}

// --- Internal helpers ---

/** Several manifests as one stack: an include that merges them, as the Compose Specification has it. */
function includingAll(manifests: readonly string[]): string {
  return stringify({ include: [{ path: manifests }] }, { indent: 4, lineWidth: 0 })
}

function decoded(bytes: Uint8Array = new Uint8Array()): string {
  return new TextDecoder().decode(bytes)
}

/** A file's text; and for UTF-16 what ASCII there is in it. */
function texts(bytes: Uint8Array): readonly string[] {
  const text = decoded(bytes)
  return text.includes('\0') ? [text, text.replaceAll('\0', '')] : [text]
}

function leftOut(files: readonly string[]): string {
  const [what, hold] = files.length === 1 ? ['the file', 'it holds'] : ['the files', 'they hold']
  return `the release record is written without ${what} ${files.join(', ')}, since ${hold} a value that this run keeps secret; there is no rollback to it`
}

function warning(message: string): Problem {
  const remedy = 'Take the value out of the file: name a variable in the manifest, or make a secret of the config.'
  return { severity: 'warning', code: 'manifest', message, remedy }
}
