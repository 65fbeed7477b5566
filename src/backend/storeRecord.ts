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

/**
 * Stores a record under its revision, or under the next that is free where another run took that meanwhile. Answers its id and number;
 * rejects with the engine's error.
 */
export async function storeRecord(
  engine: Engine,
  wanted: ReleaseRecord,
  status: ReleaseStatus,
  now: number,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly revision: number }> {
  let { revision } = wanted
  for (let retry = 0; ; retry++) {
    const record = { ...wanted, revision }
    const [name, data] = [recordName(record.release, revision), encodeRecord(record)]
    try {
      return { id: await createConfig(engine, name, data, recordLabels(record, status), now, { signal }), revision }
    } catch (error) {
      const taken = isKind(error, 'already-exists')
      if (signal.aborted || retry === RETRIES || !(taken || isUnclear(error))) throw error
      const listed = await engine.listConfigs({ label: [`${RELEASE_LABEL}=${record.release}`] }, { signal })
      const found = listed.find(({ Spec }) => Spec.Name === name)
      // Our own, got through after all.
      if (found?.Spec.Data === Buffer.from(data).toString('base64')) return { id: found.ID, revision }
      if (taken) revision = Math.max(nextRevision(record.release, listed.filter(isReleaseRecord)), revision + 1)
    }
  }
}
