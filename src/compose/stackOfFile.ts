// One file's tree, interpolated and validated, as a stack of its own, with what it includes.
import { readNetwork, readVolume } from './definitions.ts'
import { type FileInReading, readExtending } from './extends.ts'
import { mapAt, placeAt, textAt } from './fields.ts'
import { readFileDefinition } from './fileDefinitions.ts'
import { addIncluded, type readIncluded } from './include.ts'
import type { MapNode } from './node.ts'
import { type Place, positionOf } from './source.ts'
import type { Stack } from './stack.ts'

export function readStack(from: FileInReading, included: ReturnType<typeof readIncluded>): Stack {
  const { reading, root } = from
  const own: Stack = {
    version: `3.${reading.version}`,
    ...(root.entries.has('name') && { name: textAt(root, 'name'), namePosition: positionOf(placeAt(root, 'name')) }),
    services: [...each(root, 'services', (name, place, map) => readExtending(from, name, place, map)).values()],
    networks: each(root, 'networks', (key, place, map) => readNetwork(reading, key, place, map)),
    volumes: each(root, 'volumes', (key, place, map) => readVolume(reading, key, place, map)),
    secrets: each(root, 'secrets', (key, place, map) => readFileDefinition(reading, 'secret', key, place, map)),
    configs: each(root, 'configs', (key, place, map) => readFileDefinition(reading, 'config', key, place, map)),
  }
  return addIncluded(own, included, reading.findings)
}

/** A definition without a body (`data:`) is an empty one. */
function each<Value>(
  root: MapNode,
  section: string,
  read: (key: string, place: Place, map: MapNode) => Value,
): Map<string, Value> {
  const values = new Map<string, Value>()
  for (const [key, { keyPlace, value }] of mapAt(root, section)?.entries ?? []) {
    const empty: MapNode = { kind: 'map', entries: new Map(), place: keyPlace }
    if (value.kind === 'map') values.set(key, read(key, keyPlace, value))
    // Elsewhere null is a mistake, and validation has said so.
    else if (value.kind === 'null' && (section === 'networks' || section === 'volumes'))
      values.set(key, read(key, keyPlace, empty))
  }
  return values
}
