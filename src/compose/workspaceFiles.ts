// The effect behind `FileReader`: regular files of the workspace and of the runner's temporary folder, and nothing else.
import fs from 'node:fs'
import path from 'node:path'
import { messageOf } from '../errors.ts'
import type { FileFound, FileReader, FileRefused } from './fileReader.ts'

/** Far more than a manifest, and than Swarm takes as a config (1000 KiB) or a secret (500 KiB). */
const largest = 16 * 1024 * 1024

export interface WorkspaceFilesOptions {
  readonly workspace: string
  /** `$RUNNER_TEMP`, where there is one. */
  readonly temporary?: string | undefined
  /** What relative paths start from; the workspace where not given. */
  readonly workingDirectory?: string | undefined
}

type Refusal = Pick<FileRefused, 'reason' | 'remedy' | 'missing'>

export function workspaceFiles({
  workspace,
  temporary,
  workingDirectory = workspace,
}: WorkspaceFilesOptions): FileReader {
  const roots = [workspace, temporary]
    .filter((root) => root !== undefined && root !== '')
    .map((root) => realPath(root ?? ''))
  return (file) => {
    const absolute = path.resolve(workingDirectory, file)
    const shown = show(absolute, workspace)
    const read = readInside(absolute, roots)
    return read instanceof Uint8Array ? { absolute, shown, content: read } : { absolute, shown, ...read }
  }
}

function show(absolute: string, workspace: string): string {
  const relative = path.relative(workspace, absolute)
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? absolute : relative
}

function readInside(file: string, roots: readonly string[]): FileFound['content'] | Refusal {
  if (file.includes('\0')) return { reason: 'is no path: it has a NUL byte', remedy: 'Correct the path.' }
  let descriptor: number | undefined
  try {
    const real = fs.realpathSync.native(file)
    const refusal = refuse(real, roots)
    if (refusal !== undefined) return refusal
    // Not blocking: opening a named pipe must not wait for its writer. Not following: the links are resolved already.
    descriptor = fs.openSync(real, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW)
    const stat = fs.fstatSync(descriptor)
    if (stat.isDirectory()) return { reason: 'is a directory', remedy: 'Name a file in it.' }
    if (!stat.isFile()) return { reason: 'is not a regular file', remedy: 'Name a regular file.' }
    if (stat.size > largest) {
      return { reason: `is larger than ${largest / 1024 / 1024} MiB`, remedy: 'Name a smaller file.' }
    }
    return fs.readFileSync(descriptor)
  } catch (error) {
    return explain(error, file, roots)
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}

function refuse(real: string, roots: readonly string[]): Refusal | undefined {
  if (!roots.some((root) => isInside(real, root))) {
    return {
      reason: 'is outside the workspace and the temporary folder of the runner (links resolved)',
      remedy: 'Copy it into the workspace or into $RUNNER_TEMP.',
    }
  }
  if (real.split(path.sep).some((part) => part.toLowerCase() === '.git')) {
    return { reason: 'is inside a .git folder, which may hold credentials', remedy: 'Name a file outside it.' }
  }
  return undefined
}

function explain(error: unknown, file: string, roots: readonly string[]): Refusal {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    // A path outside does not even tell whether something is there.
    const outside = refuse(realPath(path.dirname(file)), roots)
    const remedy = 'Correct the path, or create the file in a step before.'
    return outside ?? { reason: 'does not exist', remedy, missing: true }
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return { reason: 'may not be read by the user of the runner', remedy: 'Change its permissions in a step before.' }
  }
  if (code === 'ELOOP') return { reason: 'is a link that leads to itself', remedy: 'Correct the link.' }
  return { reason: `can not be read: ${messageOf(error)}`, remedy: 'Correct the path.' }
}

function isInside(file: string, root: string): boolean {
  const relative = path.relative(root, file)
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

/** Links resolved as far as the path exists. */
function realPath(file: string): string {
  try {
    return fs.realpathSync.native(file)
  } catch {
    const parent = path.dirname(file)
    return parent === file ? file : path.join(realPath(parent), path.basename(file))
  }
}
