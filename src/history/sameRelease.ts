import { encodeRecord } from './encodeRecord.ts'
import type { ReleaseRecord } from './record.ts'

/** Whether two records are of the same thing, whenever, by whom and from which commit it was deployed. */
export function sameRelease(left: ReleaseRecord, right: ReleaseRecord): boolean {
  const { values, manifest, files } = left
  return encodeRecord({ ...right, values, manifest, files }).equals(encodeRecord(right))
}
