import { readdir } from 'node:fs/promises'

/**
 * The secrets that Swarm has mounted into a folder, by file name: `/run/secrets` where the action runs. Without a folder, none.
 * @throws the system's own error, such as `ENOTDIR` or `EACCES`, where the folder can't be read
 */
export async function mountedSecretNames(dir: string): Promise<ReadonlySet<string>> {
  try {
    const entries = await readdir(dir, { withFileTypes: true })
    return new Set(entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Set()
    throw error
  }
}
