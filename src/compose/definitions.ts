// The top-level `networks` and `volumes`.
import { readExternal } from './external.ts'
import { flagAt, itemsAt, mapAt, placeAt, textAt, valueAt } from './fields.ts'
import { textMap } from './keyValues.ts'
import type { MapNode } from './node.ts'
import type { Reading } from './reading.ts'
import { type Place, positionOf } from './source.ts'
import type { NetworkDefinition, VolumeDefinition } from './stack.ts'

export function readNetwork(reading: Reading, key: string, place: Place, map: MapNode): NetworkDefinition {
  const ipam = mapAt(map, 'ipam')
  return {
    ...readExternal(reading, 'network', key, map),
    driver: textAt(map, 'driver'),
    driverOpts: textMap(valueAt(map, 'driver_opts')),
    ipam: ipam && {
      driver: textAt(ipam, 'driver'),
      subnets: itemsAt(ipam, 'config').flatMap((item) => (item.kind === 'map' ? textAt(item, 'subnet') : [])),
    },
    internal: flagAt(map, 'internal'),
    attachable: flagAt(map, 'attachable'),
    labels: textMap(valueAt(map, 'labels')),
    place: positionOf(place),
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
