import type { Labels } from '../swarm/common.ts'
import { OWNER_LABEL, RELEASE_LABEL, REVISION_LABEL, STATUS_LABEL, TYPE_LABEL } from '../swarm/names.ts'
import type { ReleaseRecord } from './record.ts'

/** What a release record can be found by without reading it. Never the stack's own label: it is no part of what a stack removes. */
export function recordLabels(record: ReleaseRecord, status: ReleaseStatus): Labels {
  const { release, revision, chart, created, owner } = record
  return {
    [TYPE_LABEL]: 'release',
    [RELEASE_LABEL]: release,
    'com.swarmcli.chart': chart.name,
    'com.swarmcli.chart.version': chart.version,
    [REVISION_LABEL]: String(revision),
    [STATUS_LABEL]: status,
    'com.swarmcli.created': created,
    ...(owner !== undefined && { [OWNER_LABEL]: owner }),
  }
}

/** `pending-install` until the run knows how the deployment went; for ever where it could not tell. */
export type ReleaseStatus = 'pending-install' | 'deployed' | 'failed'
