// The merge key `<<`, as go-yaml applies it: keys that the mapping itself has win, and of a list the earlier mappings.
import type { Findings } from './findings.ts'
import type { Entry, Node } from './node.ts'
import type { Place } from './source.ts'

export function mergeEntries(entries: Map<string, Entry>, merged: Node, place: Place, findings: Findings): void {
  for (const map of merged.kind === 'list' ? merged.items : [merged]) {
    if (map.kind !== 'map') {
      findings.error(place, '`<<` takes a mapping or a list of mappings', 'Write `<<: *name` or `<<: [*one, *two]`.')
      continue
    }
    for (const [name, entry] of map.entries) if (!entries.has(name)) entries.set(name, entry)
  }
}
