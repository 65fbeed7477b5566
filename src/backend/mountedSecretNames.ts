import { readdir } from 'node:fs/promises'
import { DeployError, messageOf } from '../errors.ts'

/**
 * The secrets that Swarm has mounted into a folder, by file name: `/run/secrets` where the action runs. Without a folder, none; one
 * that can't be read throws `forbidden`, as what is in it could not be protected.
 */
export async function mountedSecretNames(dir: string): Promise<ReadonlySet<string>> {
  try {
    const entries = await readdir(dir, { withFileTypes: true })
    return new Set(entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Set()
    throw new DeployError('forbidden', `the runner's own secrets can't be protected: ${messageOf(error)}`, {
      cause: error,
      remedy: `Let the user that runs the action list ${dir}, or run it where there is no such folder.`,
    })
  }
}
