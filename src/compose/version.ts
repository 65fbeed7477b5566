// The schema's version: `version:`, absent or empty or `"3"` means the newest.
import type { Findings } from './findings.ts'
import { type MapNode, shown } from './node.ts'

const newest = 13

/** The minor number, 0 to 13. It is read before interpolation, as with docker. */
export function readVersion(root: MapNode, findings: Findings): number {
  const entry = root.entries.get('version')
  if (entry === undefined) return newest
  const { value } = entry
  if (value.kind !== 'string') return newest
  if (value.value === '' || value.value === '3') return newest
  const match = /^3\.([0-9]|1[0-3])$/.exec(value.value)
  if (match !== null) return Number(match[1])
  findings.error(
    value.place,
    `the version ${shown(value)} is not supported: stacks have versions 3.0 to 3.13`,
    'Remove the line, or write one of those.',
  )
  return newest
}
