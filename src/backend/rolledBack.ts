import type { Problem } from '../errors.ts'
import { instantOf } from '../health/instant.ts'
import type { Service, TaskSpec } from '../swarm/service.ts'
import { differingFields, meaningOf } from './meaning.ts'
import type { Observation } from './observe.ts'
import { networkNames, type ServiceStep } from './planServices.ts'

/**
 * Warnings of services that are about to get the very spec that Swarm has just rolled back. Swarm forgets that spec; the tasks that it
 * had started for it remember theirs.
 */
export function warnOfRolledBack(
  steps: readonly ServiceStep[],
  observation: Observation,
  report: (problem: Problem) => void,
): void {
  for (const { key, position, spec, live, action } of steps) {
    if (action !== 'update' || live?.UpdateStatus?.State !== 'rollback_completed') continue
    if (!wasTried(spec.TaskTemplate, live, observation)) continue
    report({
      severity: 'warning',
      code: 'rolled-back',
      message: `service ${key}: what is to be written is what Swarm has just rolled back${reason(live)}`,
      position,
      remedy:
        'If nothing else has changed since, it will fail again: find out why it failed (`docker service ps --no-trunc`) first.',
    })
  }
}

// --- Internal helpers ---

function wasTried(wanted: TaskSpec, live: Service, observation: Observation): boolean {
  const toName = networkNames(observation)
  const differs = (left: TaskSpec, right: TaskSpec): boolean =>
    differingFields(meaningOf({ TaskTemplate: left }, toName), meaningOf({ TaskTemplate: right }, toName)).length > 0
  // A rollback keeps the start of the update that it undoes.
  const began = instantOf(live.UpdateStatus?.StartedAt ?? undefined)
  return (
    differs(wanted, live.Spec.TaskTemplate) &&
    observation.tasks.some(
      (task) => task.ServiceID === live.ID && instantOf(task.CreatedAt) >= began && !differs(task.Spec, wanted),
    )
  )
}

function reason({ UpdateStatus: status }: Service): string {
  return status?.Message ? ` (${status.Message})` : ''
}
