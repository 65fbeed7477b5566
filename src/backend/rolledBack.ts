import type { Problem } from '../errors.ts'
import { byCreation, instantOf } from '../health/instant.ts'
import { tellingOf } from '../health/words.ts'
import type { Service, TaskSpec } from '../swarm/service.ts'
import type { Task } from '../swarm/task.ts'
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
    if (action !== 'update' || !live?.UpdateStatus?.State?.startsWith('rollback_')) continue
    const tried = tasksOf(spec.TaskTemplate, live, observation)
    if (tried.length === 0) continue
    const error = errorOf(tried)
    report({
      severity: 'warning',
      code: 'rolled-back',
      message: `service ${key}: what is to be written is what Swarm has just rolled back${error === undefined ? '' : `: ${error}`}`,
      position,
      remedy:
        'If nothing else has changed since, it will fail again: find out why it failed (`docker service ps --no-trunc`) first.',
    })
  }
}

// --- Internal helpers ---

/** What the newest failed one says; a task that was stopped may have an error of its end, which is not why. */
function errorOf(tasks: readonly Task[]): string | undefined {
  const failed = tasks.filter(({ Status: { State, Err = '' } }) => /^(?:failed|rejected)$/.test(State) && Err !== '')
  return tellingOf(failed.sort(byCreation))?.Status.Err
}

/** The tasks that the update which was rolled back had started for this template. */
function tasksOf(wanted: TaskSpec, live: Service, observation: Observation): readonly Task[] {
  const toName = networkNames(observation)
  const differs = (left: TaskSpec, right: TaskSpec): boolean =>
    differingFields(meaningOf({ TaskTemplate: left }, toName), meaningOf({ TaskTemplate: right }, toName)).length > 0
  if (!differs(wanted, live.Spec.TaskTemplate)) return []
  // A rollback keeps the start of the update that it undoes.
  const began = instantOf(live.UpdateStatus?.StartedAt)
  return observation.tasks.filter(
    (task) => task.ServiceID === live.ID && instantOf(task.CreatedAt) >= began && !differs(task.Spec, wanted),
  )
}
