// The top-level `networks` and `volumes`.
import { readExternal } from './external.ts'
import { flagAt, itemsAt, mapAt, optionalFlagAt, placeAt, textAt, valueAt } from './fields.ts'
import { textMap } from './keyValues.ts'
import type { MapNode } from './node.ts'
import type { Reading } from './reading.ts'
import { type Place, positionOf } from './source.ts'
import type { Ipam, IpamPool, NetworkDefinition, VolumeDefinition } from './stack.ts'

export function readNetwork(reading: Reading, key: string, place: Place, map: MapNode): NetworkDefinition {
  const ipam = mapAt(map, 'ipam')
  return {
    ...readExternal(reading, 'network', key, map),
    driver: textAt(map, 'driver'),
    driverOpts: textMap(valueAt(map, 'driver_opts')),
    ipam: ipam && readIpam(ipam),
    enableIpv4: optionalFlagAt(map, 'enable_ipv4'),
    enableIpv6: optionalFlagAt(map, 'enable_ipv6'),
    internal: flagAt(map, 'internal'),
    attachable: flagAt(map, 'attachable'),
    labels: textMap(valueAt(map, 'labels')),
    place: positionOf(place),
  }
}

function readIpam(map: MapNode): Ipam {
  const pools = itemsAt(map, 'config').flatMap((item): IpamPool | [] =>
    item.kind === 'map'
      ? {
          subnet: textAt(item, 'subnet'),
          ipRange: textAt(item, 'ip_range'),
          gateway: textAt(item, 'gateway'),
          auxAddresses: textMap(valueAt(item, 'aux_addresses')),
        }
      : [],
  )
  const more = pools.some(({ ipRange, gateway, auxAddresses }) => ipRange || gateway || auxAddresses.size > 0)
  return {
    driver: textAt(map, 'driver'),
    subnets: pools.map(({ subnet }) => subnet),
    ...(map.entries.has('options') && { options: textMap(valueAt(map, 'options')) }),
    ...(more && { pools }),
  }
}

export function readVolume(reading: Reading, key: string, place: Place, map: MapNode): VolumeDefinition {
  const { external, name } = readExternal(reading, 'volume', key, map)
  const definition = {
    name,
    external,
    driver: textAt(map, 'driver'),
    driverOpts: textMap(valueAt(map, 'driver_opts')),
    labels: textMap(valueAt(map, 'labels')),
    place: positionOf(place),
  }
  const given = {
    driver: definition.driver !== '',
    driver_opts: definition.driverOpts.size > 0,
    labels: definition.labels.size > 0,
  }
  for (const [field, isGiven] of Object.entries(given)) {
    if (!external || !isGiven) continue
    reading.findings.error(
      placeAt(map, field),
      `the volume ${key} is external, so "${field}" of it can not be set here`,
      `Remove \`${field}\`, or \`external\`.`,
    )
  }
  return definition
}
