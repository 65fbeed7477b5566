import type { Int64 } from '../swarm/common.ts'
import type { ServiceMode } from '../swarm/service.ts'

/** The Engine refuses to turn one into another. */
export function kindOfMode(mode: ServiceMode | undefined): 'replicated' | 'global' | 'replicated-job' | 'global-job' {
  if (mode?.GlobalJob) return 'global-job'
  if (mode?.ReplicatedJob) return 'replicated-job'
  return mode?.Global ? 'global' : 'replicated'
}

/** The counts of a mode, with the Engine's defaults: 1 replica, 1 at once, as many completions as run at once. */
export function modeFields(mode: ServiceMode | undefined): readonly (readonly [field: string, count: string])[] {
  switch (kindOfMode(mode)) {
    case 'replicated':
      return [['replicas', String(mode?.Replicated?.Replicas ?? 1)]]
    case 'replicated-job': {
      const maxConcurrent: Int64 = mode?.ReplicatedJob?.MaxConcurrent ?? 1
      const total: Int64 = mode?.ReplicatedJob?.TotalCompletions ?? maxConcurrent
      return [
        ['maxConcurrent', String(maxConcurrent)],
        ['totalCompletions', String(total)],
      ]
    }
    default:
      return []
  }
}
