import { DeployError } from '../errors.ts'
import { lastGood } from '../history/lastGood.ts'
import type { Release } from '../history/releases.ts'

/**
 * The release to go back to: the one of that number, or the newest before the current one that is known to have gone well. Throws
 * `missing-resource`, and says which there are.
 * @param releases by revision, the current one last
 */
export function chooseRelease(stack: string, releases: readonly Release[], revision: number | undefined): Release {
  const found =
    revision === undefined
      ? lastGood(releases.slice(0, -1))
      : releases.find(({ record }) => record.revision === revision)
  if (found !== undefined) return found
  const known = releases.map(({ record, status }) => `${record.revision} (${status})`).join(', ')
  if (releases.length === 0) {
    throw new DeployError('missing-resource', `the swarm has no release record of a stack ${stack} that can be read`, {
      remedy: 'Check `stack-name`. Records are written by deployments whose `history` is not 0.',
    })
  }
  const what =
    revision === undefined
      ? `there is no revision of ${stack} before the current one that went well`
      : `there is no revision ${revision} of ${stack}`
  throw new DeployError('missing-resource', `${what}: the swarm has ${known}`, {
    remedy: 'Name one of these in `revision`, or deploy a manifest.',
  })
}
