import type { Engine } from '../engine/engine.ts'
import type { ReleaseStatus } from '../history/recordLabels.ts'
import { STATUS_LABEL } from '../swarm/names.ts'

/** Writes on a stored record how its deployment ended: only the label, which is all that Swarm lets change. Rejects with the engine's error. */
export async function markRecord(
  engine: Engine,
  id: string,
  status: ReleaseStatus,
  signal: AbortSignal,
): Promise<void> {
  const { Spec, Version } = await engine.inspectConfig(id, { signal })
  const { Data: _unchanged, ...spec } = Spec
  await engine.updateConfig(
    id,
    Version.Index,
    { ...spec, Labels: { ...Spec.Labels, [STATUS_LABEL]: status } },
    { signal },
  )
}
