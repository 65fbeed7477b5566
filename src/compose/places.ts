// Where the keys of a service stand: `image`, `deploy.placement`, `healthcheck.interval`, `networks.front`.
import type { Position } from '../errors.ts'
import { placeAt } from './fields.ts'
import type { MapNode } from './node.ts'
import { positionOf } from './source.ts'

/** Mappings of the author's own keys, and those that no message is about. */
const opaque = new Set(['environment', 'labels', 'sysctls', 'build', 'extra_hosts', 'options', 'driver_opts'])
const deepest = 4

export function placesOf(service: MapNode): Record<string, Position> {
  const places: Record<string, Position> = {}
  collect(places, service, '', 1)
  return places
}

function collect(places: Record<string, Position>, map: MapNode, prefix: string, depth: number): void {
  for (const [key, { value }] of map.entries) {
    if (key.startsWith('x-')) continue
    places[`${prefix}${key}`] = positionOf(placeAt(map, key))
    if (value.kind === 'map' && depth < deepest && !opaque.has(key))
      collect(places, value, `${prefix}${key}.`, depth + 1)
    if (value.kind === 'list' && key === 'networks') {
      for (const item of value.items)
        if (item.kind === 'string') places[`${prefix}networks.${item.value}`] = positionOf(item.place)
    }
  }
}
