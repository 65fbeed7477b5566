// `KEY: value` mappings and lists of `KEY=value`: environment, labels, sysctls, options.
import type { Position } from '../errors.ts'
import { printed } from './fields.ts'
import type { Node } from './node.ts'
import type { Place } from './source.ts'

export interface KeyValue {
  readonly key: string
  /** Null is a key without a value. */
  readonly value: string | null
  readonly place: Place
  /** Where it stands, if that is a file of its own, which `place` only names. */
  readonly inFile?: { readonly what: string; readonly position: Position } | undefined
}

/** In the order of the file; of a list, a later item for the same key comes later. */
export function keyValues(node: Node | undefined): KeyValue[] {
  if (node?.kind === 'map') {
    return [...node.entries].map(([key, { keyPlace, value }]) => ({ key, value: printed(value), place: keyPlace }))
  }
  if (node?.kind !== 'list') return []
  return node.items.flatMap((item) => {
    if (item.kind !== 'string') return []
    const at = item.value.indexOf('=')
    const [key, value] = at === -1 ? [item.value, null] : [item.value.slice(0, at), item.value.slice(at + 1)]
    return [{ key, value, place: item.place }]
  })
}

/** Labels and the like, where a key without a value has the empty one. */
export function textMap(node: Node | undefined): Map<string, string> {
  return new Map(keyValues(node).map(({ key, value }) => [key, value ?? '']))
}
