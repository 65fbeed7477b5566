// What a service depends on: names, or mappings with a condition each.
import { mapAt, optionalFlagAt, textAt, textsAt } from './fields.ts'
import type { MapNode } from './node.ts'
import { positionOf } from './source.ts'
import type { Dependency } from './stack.ts'

export function readDependencies(service: MapNode): readonly Dependency[] {
  const map = mapAt(service, 'depends_on')
  if (map === undefined) {
    return textsAt(service, 'depends_on').map(({ value, place }) => ({
      service: value,
      condition: '',
      required: true,
      place: positionOf(place),
    }))
  }
  return [...map.entries].map(([name, { value, keyPlace }]) => {
    const options = value.kind === 'map' ? value : undefined
    return {
      service: name,
      condition: textAt(options, 'condition'),
      required: optionalFlagAt(options, 'required') ?? true,
      place: positionOf(keyPlace),
    }
  })
}
