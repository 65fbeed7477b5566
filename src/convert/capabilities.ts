import { byteOrder } from './wire.ts'

const all = 'ALL'
const reset = 'RESET'

/**
 * `CapabilityAdd` and `CapabilityDrop`: upper case, with `CAP_`, once each, sorted; `ALL` stands for the rest of its list, and
 * what is added is not dropped. Source: docker/cli opts/capabilities.go.
 */
export function convertCapabilities(
  add: readonly string[],
  drop: readonly string[],
): { readonly add: readonly string[]; readonly drop: readonly string[] } {
  const added = namesOf(add)
  const dropped = namesOf(drop)
  const kept = added.has(all) ? new Set([all]) : added
  const lost = dropped.has(all) ? new Set([all]) : dropped
  return {
    add: sorted(kept),
    drop: sorted([...lost].filter((name) => !kept.has(name))),
  }
}

// --- Internal helpers ---

function namesOf(list: readonly string[]): ReadonlySet<string> {
  return new Set(list.map(capabilityName))
}

function capabilityName(text: string): string {
  const name = text.trim().toUpperCase()
  return name === all || name === reset || name.startsWith('CAP_') ? name : `CAP_${name}`
}

function sorted(names: Iterable<string>): readonly string[] {
  return [...names].filter((name) => name !== reset).sort(byteOrder)
}
