import { DeployError } from '../errors.ts'
import type { SystemInfo } from '../swarm/info.ts'

/** Throws `not-a-manager` unless the engine can change its swarm now. The docker CLI asks the same first, and says less. */
export function requireManager({ Name: node, Swarm: swarm }: SystemInfo): void {
  const refused = (why: string, remedy: string): DeployError =>
    new DeployError('not-a-manager', `the engine on ${node} ${why}`, { remedy })
  // What only pretends to be Docker's engine may have no such part at all.
  if (typeof swarm !== 'object' || swarm === null) {
    throw refused('says nothing of a swarm', 'Let "host" name a manager of a Docker Swarm.')
  }
  switch (swarm.LocalNodeState) {
    case 'inactive':
      throw refused('is not part of a swarm', 'Make it one with "docker swarm init", or let "host" name a manager.')
    case 'locked':
      throw refused(
        'is a manager of a locked swarm',
        'Unlock it on that machine with "docker swarm unlock" and the key of "docker swarm unlock-key".',
      )
    case 'pending':
      throw refused('is still joining its swarm', 'Wait until "docker node ls" on a manager shows it as ready.')
    case 'error':
      throw refused(`has lost its swarm: ${swarm.Error || 'it does not say why'}`, 'Look at the log of its dockerd.')
    default:
  }
  if (!swarm.ControlAvailable) {
    const managers = (swarm.RemoteManagers ?? []).map((peer) => peer.Addr.replace(/:\d+$/, '')).filter(Boolean)
    const known =
      managers.length === 0
        ? ''
        : ` It knows ${managers.join(', ')} as ${managers.length === 1 ? 'a manager' : 'managers'}.`
    throw refused('is a worker, and only managers change a swarm', `Let "host" name a manager.${known}`)
  }
  // A manager answers without a cluster when it has no leader to ask.
  if (swarm.Error || !swarm.Cluster) {
    const why = swarm.Error?.replace(/^rpc error: code = \w+ desc = /, '')
    throw refused(
      `is a manager, but its swarm has no leader${why ? `: ${why}` : ''}`,
      'More than half of the managers must be up. Bring them back, or list another manager in "host".',
    )
  }
}
