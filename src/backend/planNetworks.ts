import type { NetworkObject, StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Network, NetworkCreateRequest } from '../swarm/network.ts'
import type { Observation } from './observe.ts'

/** Every node has these, so nobody creates them and no list need show them. */
const predefined: ReadonlySet<string> = new Set(['host', 'bridge', 'none'])

export interface NetworkStep {
  readonly action: 'create' | 'none'
  readonly request: NetworkCreateRequest
  readonly position: Problem['position']
}

/** The networks of the stack's own. One that exists is left as it is: to change it, every service would have to leave it. */
export function planNetworks(
  { namespace, networks }: StackSpec,
  observation: Observation,
  report: (problem: Problem) => void,
): readonly NetworkStep[] {
  return networks.flatMap((network): readonly NetworkStep[] => {
    const found = observation.networks.filter(({ Name }) => Name === network.name)
    const live = found.find(({ Scope }) => Scope === 'swarm')
    if (network.external) {
      if (!predefined.has(network.name) && live === undefined) report(absent(network, found[0]))
      return []
    }
    const [existing = live] = found
    const request = { ...network.spec, Driver: network.spec.Driver || 'overlay' }
    if (existing === undefined) return [{ action: 'create', request, position: network.position }]
    if (live?.Labels?.[NAMESPACE_LABEL] !== namespace) report(foreign(network, live ?? existing))
    else reportDrift(network.name, network.position, network.spec, live, report)
    return [{ action: 'none', request, position: network.position }]
  })
}

// --- Internal helpers ---

function absent({ name, position }: NetworkObject, local: Network | undefined): Problem {
  return {
    severity: 'error',
    code: 'missing-resource',
    message:
      local === undefined
        ? `the external network "${name}" does not exist`
        : `the external network "${name}" has the scope "${local.Scope}", and services need one of the scope "swarm"`,
    position,
    remedy:
      local === undefined
        ? `Create it: docker network create --driver overlay --attachable ${name}`
        : `Create one of the scope swarm under another name (docker network create --driver overlay NAME), and name that in the manifest.`,
  }
}

function foreign({ name, position }: NetworkObject, live: Network): Problem {
  const owner = live.Labels?.[NAMESPACE_LABEL]
  const what = owner === undefined ? 'and belongs to no stack' : `and belongs to the stack "${owner}"`
  return {
    severity: 'error',
    code: 'conflict',
    message: `the network "${name}" exists already ${live.Scope === 'swarm' ? what : `with the scope "${live.Scope}"`}`,
    position,
    remedy: `Give this network another "name:", or use the existing one with "external: true".`,
  }
}

function reportDrift(
  name: string,
  position: Problem['position'],
  wanted: NetworkCreateRequest,
  live: Network | undefined,
  report: (problem: Problem) => void,
): void {
  if (live === undefined) return
  const differences: string[] = []
  const compare = (what: string, wish: string, fact: string): void => {
    if (wish !== fact) differences.push(`${what} ${fact || 'none'} instead of ${wish || 'none'}`)
  }
  compare('attachable', String(wanted.Attachable ?? false), String(live.Attachable ?? false))
  compare('internal', String(wanted.Internal ?? false), String(live.Internal ?? false))
  // Empty until Swarm has allocated the network, and so are the driver's options and the subnets.
  if (live.Driver !== '') {
    compare('driver', wanted.Driver || 'overlay', live.Driver)
    // The driver adds options of its own, so that only the wanted ones can be compared.
    for (const [option, value] of Object.entries(wanted.Options ?? {})) {
      compare(`option ${option}`, value, live.Options?.[option] ?? '')
    }
    const [wish, fact] = [subnetsOf(wanted), subnetsOf(live)]
    if (wish !== '') compare('subnet', wish, fact)
  }
  if (differences.length === 0) return
  report({
    severity: 'warning',
    code: 'conflict',
    message: `the network "${name}" exists with other settings, and stays as it is: ${differences.join(', ')}`,
    position,
    remedy: `A network can't be changed. Give it another "name:", or remove the stack and deploy it anew.`,
  })
}

function subnetsOf({ IPAM: ipam }: Pick<Network, 'IPAM'>): string {
  return (ipam?.Config ?? [])
    .map(({ Subnet: subnet = '' }) => subnet)
    .filter(Boolean)
    .sort()
    .join(', ')
}
