import { inParallel } from './inParallel.ts'
import { removeObject } from './removeObject.ts'
import type { Writing } from './writing.ts'

/**
 * Removes a stack's release records. Only once nothing else of it is left: they are the proof of whose it is, and without them nobody
 * would find the rest. Throws the engine's refusal.
 */
export async function removeRecords(
  records: readonly { readonly id: string; readonly name: string }[],
  writing: Writing,
): Promise<void> {
  const { log, concurrency } = writing.settings
  if (records.length > 0)
    log(`Removing ${records.length === 1 ? 'its release record' : `its ${records.length} release records`}`)
  await inParallel(records, concurrency, ({ id, name }) => removeObject({ kind: 'config', id, name }, writing))
}
