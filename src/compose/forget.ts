// What a later file, or a service that extends another, takes out of what came before: the Compose Specification's tags
// `!reset` and `!override`.
import type { Entry, ListNode, MapNode, Node } from './node.ts'

/** Keys of which a list is replaced, never joined. */
const replaced = new Set(['command', 'entrypoint', 'test'])

/** The earlier tree without the keys that the later one forgets. */
export function forget(earlier: MapNode, later: MapNode): MapNode {
  return without(earlier, later, (key) => later.forgets?.has(key) === true, forget)
}

/**
 * Likewise, and without what a service that extends another sets itself. In docker's merge of files a zero or an empty text
 * overrides nothing; in the one of the Compose Specification it does.
 */
export function forgetExtended(earlier: MapNode, later: MapNode): MapNode {
  const isSet = (key: string): boolean => {
    const value = later.entries.get(key)?.value
    if (later.forgets?.has(key) === true) return true
    return value?.kind === 'list' ? replaced.has(key) : value !== undefined && !['map', 'null'].includes(value.kind)
  }
  return without(earlier, later, isSet, forgetExtended)
}

function without(
  earlier: MapNode,
  later: MapNode,
  isForgotten: (key: string) => boolean,
  inside: (earlier: MapNode, later: MapNode) => MapNode,
): MapNode {
  const entries = new Map<string, Entry>()
  for (const [key, entry] of earlier.entries) {
    if (isForgotten(key)) continue
    const value = later.entries.get(key)?.value
    entries.set(key, value?.kind === 'map' ? { ...entry, value: insideOf(entry.value, value, inside) } : entry)
  }
  return { ...earlier, entries }
}

function insideOf(value: Node, later: MapNode, inside: (earlier: MapNode, later: MapNode) => MapNode): Node {
  if (value.kind === 'map') return inside(value, later)
  return value.kind === 'list' && later.forgets !== undefined ? withoutItems(value, later.forgets) : value
}

/** Of a list of `KEY=value`, or of names, those that are not forgotten. */
function withoutItems(list: ListNode, keys: ReadonlySet<string>): ListNode {
  const items = list.items.filter((item) => item.kind !== 'string' || !keys.has(item.value.replace(/=.*$/s, '')))
  return { ...list, items }
}
