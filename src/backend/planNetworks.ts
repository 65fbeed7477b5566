import type { NetworkObject, StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Network, NetworkCreateRequest } from '../swarm/network.ts'
import { type Drift, driftText, networkDrift } from './networkDrift.ts'
import type { Observation } from './observe.ts'
import { checkSubnets } from './subnets.ts'

/** Every node has these, so nobody creates them and no list need show them. */
const predefined: ReadonlySet<string> = new Set(['host', 'bridge', 'none'])

export interface NetworkStep {
  readonly action: 'create' | 'none'
  readonly request: NetworkCreateRequest
  /** Whether Swarm has still to give it its subnets. */
  readonly isPending: boolean
  readonly position: Problem['position']
}

/** The networks of the stack's own. One that exists is left as it is: to change it, every service would have to leave it. */
export function planNetworks(
  { namespace, networks }: StackSpec,
  observation: Observation,
  report: (problem: Problem) => void,
): readonly NetworkStep[] {
  const creations: NetworkObject[] = []
  const steps = networks.flatMap((network): readonly NetworkStep[] => {
    const found = observation.networks.filter(({ Name }) => Name === network.name)
    const live = found.find(({ Scope }) => Scope === 'swarm')
    const namesake = live ?? found[0] ?? ofOtherCase(network.name, observation)
    if (network.external) {
      if (predefined.has(network.name)) return []
      if (live === undefined) report(absent(network, namesake))
      else if (live.Ingress === true) report(ingress(network))
      return []
    }
    const request = { ...network.spec, Driver: network.spec.Driver || 'overlay' }
    if (namesake === undefined) {
      creations.push(network)
      return [{ action: 'create', request, isPending: true, position: network.position }]
    }
    if (live?.Labels?.[NAMESPACE_LABEL] !== namespace) report(foreign(network, namesake))
    else reportDrift(network, networkDrift(network.spec, live), report)
    return [{ action: 'none', request, isPending: live?.Driver === '', position: network.position }]
  })
  checkSubnets(creations, observation.networks, report)
  return steps
}

// --- Internal helpers ---

/** Swarm tells no upper from lower case in the names of networks: there is room for one only. */
function ofOtherCase(name: string, { networks }: Observation): Network | undefined {
  return networks.find(({ Name, Scope }) => Scope === 'swarm' && Name.toLowerCase() === name.toLowerCase())
}

function absent({ name, position }: NetworkObject, namesake: Network | undefined): Problem {
  const problem = (message: string, remedy: string): Problem => ({
    severity: 'error',
    code: 'missing-resource',
    message,
    position,
    remedy,
  })
  if (namesake === undefined) {
    return problem(
      `the external network "${name}" does not exist`,
      `Create it: docker network create --driver overlay --attachable ${name}`,
    )
  }
  if (namesake.Name !== name) {
    return problem(
      `the external network "${name}" does not exist, but "${namesake.Name}" does`,
      `Write "name: ${namesake.Name}".`,
    )
  }
  return problem(
    `the external network "${name}" has the scope "${namesake.Scope}", and services need one of the scope "swarm"`,
    `Create one of the scope swarm under another name (docker network create --driver overlay NAME), and name that in the manifest.`,
  )
}

function ingress({ name, position }: NetworkObject): Problem {
  return {
    severity: 'error',
    code: 'unsupported',
    message: `the network "${name}" is the swarm's ingress network, which no service can name`,
    position,
    remedy: 'Take it out: a service is attached to it by publishing a port.',
  }
}

function foreign({ name, position }: NetworkObject, namesake: Network): Problem {
  const owner = namesake.Labels?.[NAMESPACE_LABEL]
  const whose = owner === undefined ? 'and belongs to no stack' : `and belongs to the stack "${owner}"`
  const what = namesake.Scope === 'swarm' ? whose : `with the scope "${namesake.Scope}"`
  return {
    severity: 'error',
    code: 'conflict',
    message: `the network "${namesake.Name}" exists already ${what}`,
    position,
    remedy:
      namesake.Name === name
        ? `Give this network another "name:", or use the existing one with "external: true".`
        : `Give this network another "name:" than "${name}": Swarm tells no upper from lower case there.`,
  }
}

function reportDrift(
  { name, position }: NetworkObject,
  differences: readonly Drift[],
  report: (problem: Problem) => void,
): void {
  if (differences.length === 0) return
  report({
    severity: 'warning',
    code: 'conflict',
    message: `the network "${name}" exists with other settings, and stays as it is: ${differences.map(driftText).join(', ')}`,
    position,
    remedy: `A network can't be changed. Give it another "name:", or remove the stack and deploy it anew.`,
  })
}
