import type { Engine } from '../engine/engine.ts'
import type { ReleaseStatus } from '../history/recordLabels.ts'
import { STATUS_LABEL } from '../swarm/names.ts'
import { ATTEMPTS, isKind, isUnclear, pause } from './writing.ts'

/**
 * Writes on a stored record how its deployment ended: only the label, which is all that Swarm lets change. A lost call is made again, unless
 * it got through after all. Rejects with the engine's error.
 */
export async function markRecord(
  engine: Engine,
  id: string,
  status: ReleaseStatus,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { Spec, Version } = await engine.inspectConfig(id, { signal })
      if (Spec.Labels?.[STATUS_LABEL] === status) return
      const { Data: _unchanged, ...spec } = Spec
      const Labels = { ...Spec.Labels, [STATUS_LABEL]: status }
      return await engine.updateConfig(id, Version.Index, { ...spec, Labels }, { signal })
    } catch (error) {
      const mayDo = isKind(error, 'version-conflict') || (isUnclear(error) && !error.isFinal)
      if (!mayDo || attempt === ATTEMPTS || signal.aborted) throw error
      await pause(attempt, signal)
    }
  }
}
