import { encodeRecord } from './encodeRecord.ts'
import type { ReleaseRecord } from './record.ts'

/** Whether two records are of the same thing, whenever, by whom and from which commit it was deployed. */
export function sameRelease(left: ReleaseRecord, right: ReleaseRecord): boolean {
  const { values, manifest, files } = left
  return encodeRecord({ ...right, values, manifest, files }).equals(encodeRecord(right))
}

/**
 * Whether a record names other images, secrets or configs than an older one, which then can't be about the same services. Those that only
 * the older one names do not count.
 */
export function namesOthers({ values: now }: ReleaseRecord, { values: then }: ReleaseRecord): boolean {
  const isKnown = (names: ReadonlyMap<string, string>, known: ReadonlyMap<string, string>): boolean =>
    [...names].every(([key, name]) => known.get(key) === name)
  return !(isKnown(now.images, then.images) && isKnown(now.secrets, then.secrets) && isKnown(now.configs, then.configs))
}
