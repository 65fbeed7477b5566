import type { IPAMConfig, Network, NetworkCreateRequest } from '../swarm/network.ts'
import { subnetsOf } from './subnets.ts'

/** A setting of a network that is not as it is wanted. */
export interface Drift {
  /** Such as `attachable`, `option mtu`, `gateway of 10.0.0.0/24`. */
  readonly setting: string
  /** Empty where there is none. */
  readonly wish: string
  readonly fact: string
}

/** `attachable true instead of false` */
export function driftText({ setting, wish, fact }: Drift): string {
  return `${setting} ${fact || 'none'} instead of ${wish || 'none'}`
}

/** How a network that exists differs from the wanted one. Empty where it does not. */
export function networkDrift(wanted: NetworkCreateRequest, live: Network): readonly Drift[] {
  const differences: Drift[] = []
  const compare = (setting: string, wish: string, fact: string): void => {
    if (wish !== fact) differences.push({ setting, wish, fact })
  }
  compare('attachable', String(wanted.Attachable ?? false), String(live.Attachable ?? false))
  compare('internal', String(wanted.Internal ?? false), String(live.Internal ?? false))
  compare('enable_ipv6', String(wanted.EnableIPv6 ?? false), String(live.EnableIPv6 ?? false))
  // Older engines always have IPv4, and some say no to all that they do not know.
  if (wanted.EnableIPv4 === false && live.EnableIPv4 !== undefined) {
    compare('enable_ipv4', 'false', String(live.EnableIPv4))
  }
  // Empty until Swarm has allocated the network, and so are the driver's options and the subnets.
  if (live.Driver === '') return differences
  compare('driver', wanted.Driver || 'overlay', live.Driver)
  // The driver adds options of its own, so that only the wanted ones can be compared.
  for (const [option, value] of Object.entries(wanted.Options ?? {})) {
    compare(`option ${option}`, value, live.Options?.[option] ?? '')
  }
  const pools = (wanted.IPAM?.Config ?? []).filter(({ Subnet }) => Boolean(Subnet))
  if (pools.length === 0) return differences
  compare('subnet', [...subnetsOf(wanted.IPAM)].sort().join(', '), [...subnetsOf(live.IPAM)].sort().join(', '))
  for (const pool of pools) {
    const found = live.IPAM?.Config?.find(({ Subnet }) => Subnet === pool.Subnet)
    if (found !== undefined) comparePools(pool, found, compare)
  }
  return differences
}

// --- Internal helpers ---

/** Swarm chooses a gateway where none is wanted, and forgets auxiliary addresses. */
function comparePools(
  wanted: IPAMConfig,
  live: IPAMConfig,
  compare: (setting: string, wish: string, fact: string) => void,
): void {
  if (wanted.Gateway) compare(`gateway of ${wanted.Subnet}`, wanted.Gateway, live.Gateway ?? '')
  compare(`ip_range of ${wanted.Subnet}`, wanted.IPRange ?? '', live.IPRange ?? '')
}
