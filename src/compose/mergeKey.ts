// The merge key `<<`, as go-yaml applies it: keys that the mapping itself has win, and of a list the earlier mappings.
import type { Findings } from './findings.ts'
import type { Entry, Node } from './node.ts'
import type { Place } from './source.ts'

/** `forgets`: the mapping's keys tagged `!reset` or `!override`, to which those of the merged ones are added. */
export function mergeEntries(
  entries: Map<string, Entry>,
  forgets: Set<string>,
  merged: Node,
  place: Place,
  findings: Findings,
): void {
  const own = new Set([...entries.keys(), ...forgets])
  for (const map of merged.kind === 'list' ? merged.items : [merged]) {
    if (map.kind !== 'map') {
      findings.error(place, '`<<` takes a mapping or a list of mappings', 'Write `<<: *name` or `<<: [*one, *two]`.')
      continue
    }
    for (const [name, entry] of map.entries) if (!own.has(name)) entries.set(name, entry)
    for (const name of map.forgets ?? []) if (!own.has(name)) forgets.add(name)
    for (const name of [...map.entries.keys(), ...(map.forgets ?? [])]) own.add(name)
  }
}
