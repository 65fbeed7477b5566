import type { Service } from '../swarm/service.ts'
import { isTerminal } from '../swarm/task.ts'
import { type Base, blank, failed } from './base.ts'
import { findFailure } from './failure.ts'
import { byCreation, enteredAt } from './instant.ts'
import { isNativeJob, wantedReplicas } from './mode.ts'
import { nodeName } from './nodes.ts'
import { countText, progressOf } from './progress.ts'
import { sameSpec } from './sameSpec.ts'
import { type Slots, slotsOf } from './slots.ts'
import { stoppedBySwarm } from './stopped.ts'
import type { Expectation, Snapshot, Verdict } from './verdict.ts'
import { warningOf } from './warning.ts'

/** Right after an update Swarm may not have begun to replace tasks that are of the wanted spec from before (A, B, A): wait so long (ms). */
const UPDATE_BEGINS_WITHIN = 3000

/** A service written this recently (ms) may be missing from a list without having been removed. */
const LISTED_WITHIN = 3000

/** While only Swarm's own word is missing that an update is over, look again after so long (ms), for up to `UPDATE_ENDS_WITHIN`. */
const LOOK_AGAIN = 250
const UPDATE_ENDS_WITHIN = 3000

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
  const isOther = expectation.template !== undefined && !sameSpec(expectation.template, service.Spec.TaskTemplate)
  if (isOther || expectation.overwritten) {
    return failed(
      base,
      'conflict',
      'someone else changed the service meanwhile: its tasks are made from another spec now',
    )
  }
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

/** All wanted tasks are there: is the update over, and did they stay long enough? */
function settling(
  service: Service,
  slots: Slots,
  base: Base,
  expectation: Expectation,
  snapshot: Snapshot,
  updating: string,
): Verdict {
  const count = countText(slots, service)
  const starts = slots.slots.flatMap(({ place, current }) =>
    place === 'running' && current !== undefined ? [enteredAt(current)] : [],
  )
  // What has completed stays so.
  const watchedUntil = starts.length === 0 ? 0 : Math.max(...starts) + expectation.monitor
  const mayBegin =
    expectation.written && updating === '' && isFreshUpdate(service) ? expectation.since + UPDATE_BEGINS_WITHIN : 0
  const settlesAt = Math.max(watchedUntil, mayBegin)
  if (snapshot.now < settlesAt) {
    const stage = [count, updating, 'watched for a while'].filter((text) => text !== '').join(', ')
    const seconds = Math.ceil((settlesAt - snapshot.now) / 1000)
    const sentence = [count, updating, `watched for ${seconds} s more`].filter((text) => text !== '').join(', ')
    return { ...base, condition: 'progressing', sentence, stage, settlesAt }
  }
  if (updating !== '') {
    const soon = snapshot.now < settlesAt + UPDATE_ENDS_WITHIN
    return {
      ...base,
      condition: 'progressing',
      sentence: `${count}, ${updating}`,
      stage: `${count}, ${updating}`,
      settlesAt: soon ? snapshot.now + LOOK_AGAIN : undefined,
    }
  }
  return { ...base, condition: 'converged', sentence: count, stage: count }
}

/** Whether the last update asked for other tasks and Swarm has not said anything about it yet. */
function isFreshUpdate(service: Service): boolean {
  const { Spec: spec, PreviousSpec: previous, UpdateStatus: status, JobStatus: job } = service
  // A job's tasks name the run that they belong to.
  if (job) return false
  if (previous === undefined || previous === null || (status?.State ?? '') !== '') return false
  return (
    !sameSpec(previous.TaskTemplate, spec.TaskTemplate) ||
    !sameSpec(previous.EndpointSpec ?? {}, spec.EndpointSpec ?? {})
  )
}

function updateText(service: Service, snapshot: Snapshot): string {
  const state = service.UpdateStatus?.State
  if (state !== 'updating' && state !== 'rollback_started') return ''
  const text = state === 'updating' ? 'update under way' : 'rollback under way'
  // Swarm's updater waits for tasks on nodes that are gone, and does not get on without them.
  const holding = new Set(
    snapshot.tasks
      .filter((task) => task.ServiceID === service.ID && !isTerminal(task.Status.State))
      .map((task) => task.NodeID),
  )
  const lost = snapshot.nodes.filter((node) => node.Status.State === 'down' && holding.has(node.ID))
  if (lost.length === 0) return text
  return `${text} (Swarm waits for ${lost.map((node) => nodeName([node], node.ID)).join(', ')}, which is down)`
}

function nothingWanted(slots: Slots): string {
  return slots.mode === 'global' || slots.mode === 'global job' ? '0/0, no node matches' : '0/0, none wanted'
}
