// `external: true` and its older form `external: {name: …}`, of networks, volumes, secrets and configs.
import { mapAt, placeAt, textAt, valueAt } from './fields.ts'
import type { MapNode } from './node.ts'
import type { Reading } from './reading.ts'

export type DefinitionKind = 'network' | 'volume' | 'secret' | 'config'

/** The name in the swarm is the key where the manifest gives none to an external object. */
export function readExternal(
  { findings, version }: Reading,
  kind: DefinitionKind,
  key: string,
  map: MapNode,
): { readonly external: boolean; readonly name: string } {
  const value = valueAt(map, 'external')
  const name = textAt(map, 'name')
  const older = mapAt(map, 'external')
  if (older === undefined) {
    const external = value?.kind === 'boolean' && value.value
    return { external, name: external && name === '' ? key : name }
  }
  const olderName = textAt(older, 'name')
  if (olderName === '') return { external: true, name: name === '' ? key : name }
  const place = placeAt(older, 'name')
  if (name !== '') {
    findings.error(
      place,
      `the ${kind} ${key} has both "name" and "external.name"`,
      'Write `external: true`, and keep only `name`.',
    )
  } else if (version >= (kind === 'volume' ? 4 : 5)) {
    findings.warning(
      place,
      `the ${kind} ${key} uses "external.name", which is deprecated`,
      'Write `external: true` and `name:`.',
    )
  }
  return { external: true, name: olderName }
}
