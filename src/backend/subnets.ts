import { BlockList, isIP } from 'node:net'
import type { NetworkObject } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import type { IPAMOptions, Network } from '../swarm/network.ts'

/**
 * Reports networks to be created whose subnets overlap those of another network of the swarm, or of one another. Swarm creates such
 * a network without a word, gives it no addresses, and leaves every task on it in the state `new` for ever (tried with 20.10 and 28.5).
 */
export function checkSubnets(
  creations: readonly NetworkObject[],
  live: readonly Network[],
  report: (problem: Problem) => void,
): void {
  const taken = live
    .filter(({ Scope }) => Scope === 'swarm')
    .flatMap(({ Name: name, IPAM }) => subnetsOf(IPAM).map((subnet) => ({ name, subnet })))
  for (const network of creations) {
    if (network.external || !isDefaultDriver(network.spec.IPAM)) continue
    const { name, position } = network
    for (const subnet of subnetsOf(network.spec.IPAM)) {
      const other = taken.find((one) => overlap(one.subnet, subnet))
      if (other !== undefined) {
        report({
          severity: 'error',
          code: 'network',
          message: `the subnet ${subnet} of the network "${name}" overlaps ${other.subnet} of the network "${other.name}", and Swarm would give it no addresses`,
          position,
          remedy: 'Choose a free subnet, or leave "subnet:" out: Swarm then takes one from its address pool.',
        })
      }
      taken.push({ name, subnet })
    }
  }
}

/** All that an IPAM block gives or wants, in its order. */
export function subnetsOf(ipam: IPAMOptions | null | undefined): readonly string[] {
  return (ipam?.Config ?? []).map(({ Subnet: subnet = '' }) => subnet).filter(Boolean)
}

// --- Internal helpers ---

/** Another driver has address spaces of its own. */
function isDefaultDriver(ipam: IPAMOptions | null | undefined): boolean {
  return ['', 'default'].includes(ipam?.Driver ?? '')
}

interface Subnet {
  readonly family: 'ipv4' | 'ipv6'
  readonly address: string
  readonly block: BlockList
}

/** Of two subnets that overlap, one lies in the other. */
function overlap(left: string, right: string): boolean {
  const [one, other] = [parsed(left), parsed(right)]
  if (one === undefined || other === undefined || one.family !== other.family) return false
  return one.block.check(other.address, other.family) || other.block.check(one.address, one.family)
}

/** Undefined for what is no subnet: the engine says what is wrong with it. */
function parsed(text: string): Subnet | undefined {
  const [address = '', bits = ''] = text.split('/')
  const version = isIP(address)
  if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) return undefined
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const block = new BlockList()
  block.addSubnet(address, Number(bits), family)
  return { family, address, block }
}
