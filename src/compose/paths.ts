// Paths as the docker CLI resolves them on Linux, also for Windows nodes.
import { posix } from 'node:path'

/** A drive and a slash, or a share. */
const windowsAbsolute = /^(?:[a-zA-Z]:[\\/]|[\\/]{2}[^\\/]+[\\/]+[^\\/]+)/

export function resolvePath(folder: string, path: string): string {
  return posix.isAbsolute(path) ? path : joined(folder, path)
}

/** Absolute sources stay verbatim, Windows' too; others are joined to the folder. */
export function resolveBindSource(folder: string, source: string): string {
  return posix.isAbsolute(source) || windowsAbsolute.test(source) ? source : joined(folder, source)
}

/** Cleaned as Go does it: no slash at the end. */
function joined(folder: string, path: string): string {
  return posix.join(folder, path).replace(/(.)\/$/, '$1')
}
