// What this action last wrote, field by field, to tell what somebody has changed by hand since.
import { createHash } from 'node:crypto'
import type { Labels } from '../swarm/common.ts'
import { WRITTEN_LABEL } from '../swarm/names.ts'
import type { Meaning } from './meaning.ts'

const DIGITS = 6

/**
 * The label's value for a spec that is about to be written: the first hex digits of a digest of each field with its value, one after the
 * other. It stands beside the very values that it was made of, so it gives nothing away.
 */
export function writtenLabel(meaning: Meaning): string {
  return [...meaning]
    .map(([field, value]) => digestOf(field, value))
    .sort()
    .join('')
}

/**
 * Whether a field that differs is as it is because somebody else changed the service after this action had written it: the live value is
 * not the one that was written, or the written one is gone. False where the service bears no such label: then nobody knows.
 */
export function isByHand(field: string, live: Meaning, wanted: Meaning, labels: Labels | null | undefined): boolean {
  const label = labels?.[WRITTEN_LABEL]
  if (label === undefined) return false
  const written = new Set(label.match(/[0-9a-f]{6}/g) ?? [])
  const [is, shouldBe] = [live.get(field), wanted.get(field)]
  if (is !== undefined) return !written.has(digestOf(field, is))
  return shouldBe !== undefined && written.has(digestOf(field, shouldBe))
}

// --- Internal helpers ---

function digestOf(field: string, value: string): string {
  return createHash('sha256').update(`${field}\0${value}`).digest('hex').slice(0, DIGITS)
}
