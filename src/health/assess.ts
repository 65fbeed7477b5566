import type { Service } from '../swarm/service.ts'
import { type Base, blank, failed } from './base.ts'
import { findFailure } from './failure.ts'
import { byCreation } from './instant.ts'
import { isNativeJob, wantedReplicas } from './mode.ts'
import { countText, progressOf } from './progress.ts'
import { sameSpec } from './sameSpec.ts'
import { settling } from './settling.ts'
import { type Slots, slotsOf } from './slots.ts'
import { stoppedBySwarm } from './stopped.ts'
import { updateText } from './updating.ts'
import type { Expectation, Snapshot, Verdict } from './verdict.ts'
import { warningOf } from './warning.ts'

/** A service written this recently (ms) may be missing from a list without having been removed. */
const LISTED_WITHIN = 3000

/**
 * Judges one service by one look at the swarm. Converged means: every wanted task is made from the current spec, runs and is meant to (or
 * has completed, where it may), on a node that may have it, has done so for the monitor window, and no update is under way. The window
 * counts from the start of the last task, so one that ran before the run counts as well.
 */
export function assess(expectation: Expectation, snapshot: Snapshot): Verdict {
  const service = snapshot.services.find((candidate) => candidate.Spec.Name === expectation.name)
  if (service === undefined) return missing(expectation, snapshot)
  const slots = slotsOf(service, expectation, snapshot)
  const base: Base = {
    key: expectation.key,
    name: expectation.name,
    mode: slots.mode,
    image: service.Spec.TaskTemplate.ContainerSpec?.Image ?? '',
    running: slots.running,
    desired: slots.desired,
    completed: slots.completed,
    failures: slots.slots.flatMap((slot) => slot.failures).sort(byCreation),
    warning: warningOf(service, slots, expectation, snapshot),
  }
  if (expectation.id !== undefined && service.ID !== expectation.id) {
    return failed(base, 'removed', 'someone removed the service and created it anew meanwhile')
  }

  const done = isNativeJob(slots.mode) ? slots.completed : slots.running + slots.completed
  const stopped = stoppedBySwarm(service, slots, done, base, expectation, snapshot)
  if (stopped !== undefined) return stopped
  const scaled = scaledByHand(service, base, expectation)
  if (scaled !== undefined) return scaled
  const changed = changedByHand(service, expectation)
  if (changed !== undefined) return failed(base, 'conflict', `someone else changed the service meanwhile: ${changed}`)
  if (slots.desired === 0) return { ...base, condition: 'converged', sentence: nothingWanted(slots) }
  const failure = findFailure(service, slots, expectation, snapshot)
  if (failure !== undefined) {
    const verdict = failed(base, failure.code, failure.sentence, failure.remedy)
    return base.failures.length > 0 ? verdict : { ...verdict, failures: failure.tasks }
  }

  const updating = updateText(service, snapshot)
  if (done < slots.desired) {
    return { ...base, condition: 'progressing', ...progressOf(service, slots, expectation, snapshot, updating) }
  }
  // Swarm takes a moment to stop what fewer replicas leave over.
  const surplus = slots.running - slots.desired
  if (surplus > 0) {
    const sentence = `${countText(slots, service)}; ${surplus} too many, still to be stopped`
    return { ...base, condition: 'progressing', sentence, stage: sentence }
  }
  return settling(service, slots, base, expectation, snapshot, updating)
}

function missing(expectation: Expectation, snapshot: Snapshot): Verdict {
  const base = blank(expectation)
  if (expectation.id === undefined)
    return failed(base, 'removed', 'the service is not in the swarm', 'Deploy the stack.')
  if (expectation.written && snapshot.now - expectation.since < LISTED_WITHIN) {
    return { ...base, condition: 'progressing', sentence: 'not listed by the manager yet' }
  }
  return failed(base, 'removed', 'someone removed the service meanwhile')
}

/** The manifest's number is what was deployed: another one that someone set since is not what this run can call converged. */
function scaledByHand(service: Service, base: Base, { replicas: wanted }: Expectation): Verdict | undefined {
  const replicas = wantedReplicas(service)
  if (wanted === undefined || replicas === undefined || replicas === wanted) return undefined
  return failed(
    { ...base, desired: wanted },
    'conflict',
    `someone else scaled the service from ${wanted} to ${replicas} meanwhile, while the manifest says ${wanted}`,
  )
}

/** What is no longer as this run wants it; undefined where all is. */
function changedByHand({ Spec: spec }: Service, { template, isWanted }: Expectation): string | undefined {
  if (template !== undefined && !sameSpec(template, spec.TaskTemplate)) {
    return 'its tasks are made from another spec now'
  }
  return isWanted?.(spec) === false ? 'it is not as this run wants it any more' : undefined
}

function nothingWanted(slots: Slots): string {
  return slots.mode === 'global' || slots.mode === 'global job' ? '0/0, no node matches' : '0/0, none wanted'
}
