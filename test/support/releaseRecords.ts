// Release records of a stack "shop", as a swarm holds them.
import { encodeRecord } from '../../src/history/encodeRecord.ts'
import { type ReleaseRecord, recordName } from '../../src/history/record.ts'
import { type ReleaseStatus, recordLabels } from '../../src/history/recordLabels.ts'
import type { Config } from '../../src/swarm/secret.ts'

export function recordOf(revision: number, more: Partial<ReleaseRecord> = {}): ReleaseRecord {
  return {
    release: 'shop',
    revision,
    status: 'deployed',
    chart: { name: 'shop', version: 'abc' },
    values: {
      manifests: ['stack.yml'],
      variables: [],
      images: new Map(),
      secrets: new Map(),
      configs: new Map(),
      omitted: [],
    },
    manifest: `# ${revision}\n`,
    created: '2026-05-01T12:00:00Z',
    files: new Map(),
    ...more,
  }
}

export function recordConfig(revision: number, status: ReleaseStatus): Config {
  const record = recordOf(revision)
  return {
    ID: `id-${revision}`,
    Version: { Index: revision },
    CreatedAt: record.created,
    UpdatedAt: record.created,
    Spec: {
      Name: recordName('shop', revision),
      Labels: { ...recordLabels(record, status) },
      Data: Buffer.from(encodeRecord(record)).toString('base64'),
    },
  }
}
