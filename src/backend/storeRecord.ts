import type { Engine } from '../engine/engine.ts'
import { encodeRecord } from '../history/encodeRecord.ts'
import { type ReleaseRecord, recordName } from '../history/record.ts'
import { type ReleaseStatus, recordLabels } from '../history/recordLabels.ts'
import { RELEASE_LABEL } from '../swarm/names.ts'
import type { Config } from '../swarm/secret.ts'
import { createConfig } from './configStore.ts'
import { isReleaseRecord } from './releaseRecords.ts'
import { isKind, isUnclear } from './writing.ts'

/** How often another number is tried. Source: the chart engine. */
const RETRIES = 5

/** The number after the highest, going by names, so that a record that can't be read keeps its own. */
export function nextRevision(release: string, records: readonly Config[]): number {
  const prefix = recordName(release, 0).slice(0, -1)
  const numbers = records.map(({ Spec: { Name: name = '' } }) =>
    name.startsWith(prefix) && /^\d{1,15}$/.test(name.slice(prefix.length)) ? Number(name.slice(prefix.length)) : 0,
  )
  return Math.max(0, ...numbers) + 1
}

export interface StoredRecord {
  readonly id: string
  readonly revision: number
  /** The release's other records, as last read. */
  readonly earlier: readonly Config[]
}

/**
 * Stores a record under its revision, or under the next that is free where another run took that meanwhile. Rejects with the engine's error.
 * @param known the release's records as last read
 */
export async function storeRecord(
  engine: Engine,
  wanted: ReleaseRecord,
  known: readonly Config[],
  status: ReleaseStatus,
  now: number,
  signal: AbortSignal,
): Promise<StoredRecord> {
  let { revision } = wanted
  let earlier = known
  for (let retry = 0; ; retry++) {
    const record = { ...wanted, revision }
    const [name, data] = [recordName(record.release, revision), encodeRecord(record)]
    try {
      const id = await createConfig(engine, name, data, recordLabels(record, status), now, { signal })
      return { id, revision, earlier }
    } catch (error) {
      const taken = isKind(error, 'already-exists')
      if (signal.aborted || retry === RETRIES || !(taken || isUnclear(error))) throw error
      const listed = await engine.listConfigs({ label: [`${RELEASE_LABEL}=${record.release}`] }, { signal })
      const found = listed.find(({ Spec }) => Spec.Name === name)
      earlier = listed.filter((config) => isReleaseRecord(config) && config !== found)
      // Our own, got through after all.
      if (found?.Spec.Data === Buffer.from(data).toString('base64')) return { id: found.ID, revision, earlier }
      if (found !== undefined && isReleaseRecord(found)) earlier = [...earlier, found]
      if (taken) revision = Math.max(nextRevision(record.release, earlier), revision + 1)
    }
  }
}
