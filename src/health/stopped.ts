import type { Service } from '../swarm/service.ts'
import type { Task } from '../swarm/task.ts'
import { type Base, failed } from './base.ts'
import { causeOfTask } from './failure.ts'
import { byCreation, instantOf } from './instant.ts'
import { mayComplete } from './mode.ts'
import { nodeName, nodeTrouble } from './nodes.ts'
import { hasFailed, type Slots } from './slots.ts'
import { isUpToDate } from './upToDate.ts'
import type { Expectation, Snapshot, Verdict } from './verdict.ts'
import { failureText, slotName, tellingOf } from './words.ts'

/** Of a one-shot, where no task has failed. */
const mistaken = (consequence: string, setting: string): string =>
  `Swarm takes a replica that has done its work within the update monitor window for one that failed${consequence}. Set ${setting}, or make the service a job (\`deploy.mode: replicated-job\`), then deploy again.`

const HALTED = mistaken(
  ', and goes on to no other',
  '`deploy.update_config.parallelism: 0` or `failure_action: continue`',
)

const UNDONE = mistaken('', '`deploy.update_config.failure_action: continue`')

/** The updates that Swarm gave up: paused, or rolled back. Undefined where they say nothing about this run. */
export function stoppedBySwarm(
  service: Service,
  slots: Slots,
  done: number,
  base: Base,
  expectation: Expectation,
  snapshot: Snapshot,
): Verdict | undefined {
  const { State: state = '', Message: message = '' } = service.UpdateStatus ?? {}
  const isPaused = state === 'paused' || state === 'rollback_paused'
  const isRollback = state.startsWith('rollback_')
  if (!isPaused && !(isRollback && expectation.written)) return undefined
  // Swarm takes the end of a one-shot for a failure of its update, and pauses it. That means nothing to tasks that are there already.
  const isOneShot = mayComplete(service.Spec)
  if (state === 'paused' && isOneShot && (done >= slots.desired || isAllReplaced(slots, base))) return undefined

  const tasks = isRollback ? failuresOfRollback(service, expectation, snapshot) : [...base.failures]
  tasks.sort(byCreation)
  const last = tellingOf(tasks)
  const what =
    state === 'paused'
      ? 'Swarm paused the update'
      : state === 'rollback_paused'
        ? 'Swarm rolled the update back, and paused that too'
        : state === 'rollback_started'
          ? 'Swarm is rolling the update back'
          : 'Swarm rolled the update back'
  const why =
    last === undefined
      ? namedTaskText(message, expectation, slots, snapshot)
      : `; ${slotName(last, expectation.key, slots.mode)} ${failureText([last], service, snapshot)}`
  const cause = last === undefined ? undefined : causeOfTask(last)
  const isMistaken = isOneShot && tasks.length === 0 && hasOneCompleted(service, expectation, snapshot)
  const remedy = isMistaken ? (isRollback ? UNDONE : HALTED) : cause?.remedy
  const code = isRollback && expectation.written ? 'rolled-back' : 'paused'
  return {
    ...failed(base, code, `${what}${message === '' ? '' : `: ${message}`}${why}`, remedy),
    cause: last === undefined ? undefined : (cause?.code ?? 'crash-loop'),
    failures: tasks,
  }
}

function hasOneCompleted({ ID }: Service, { since }: Expectation, { tasks }: Snapshot): boolean {
  return tasks.some(
    ({ ServiceID, CreatedAt, Status: { State: state } }) =>
      ServiceID === ID && state === 'complete' && instantOf(CreatedAt) >= since,
  )
}

/** Whether each slot has a task of the wanted spec, and none has failed: Swarm has nothing left to replace. */
function isAllReplaced({ slots, desired }: Slots, { failures }: Base): boolean {
  return failures.length === 0 && slots.length >= desired && slots.every(({ current }) => current !== undefined)
}

/**
 * After a rollback the tasks that brought it about are no longer of the current spec. Those of the spec that Swarm went back to may fail
 * as well: that is what a paused rollback is about, and another matter for any other, unless nothing else has failed.
 */
function failuresOfRollback(service: Service, expectation: Expectation, snapshot: Snapshot): Task[] {
  const recent = snapshot.tasks.filter(
    (task) =>
      task.ServiceID === service.ID && instantOf(task.CreatedAt) >= expectation.since && hasFailed(task, service),
  )
  const before = recent.filter((task) => !isUpToDate(task, service, snapshot))
  return before.length > 0 && service.UpdateStatus?.State !== 'rollback_paused' ? before : recent
}

/** Swarm also gives up where a task ended for another reason, such as a node that was drained. */
function namedTaskText(message: string, { key }: Expectation, { mode }: Slots, { tasks, nodes }: Snapshot): string {
  const task = tasks.find(({ ID }) => message.includes(ID))
  if (task === undefined) return ''
  const trouble = nodeTrouble(nodes, task.NodeID)
  const where = `${nodeName(nodes, task.NodeID)}${trouble === undefined ? '' : `, which is ${trouble}`}`
  return `; that is ${slotName(task, key, mode)}, ${task.Status.State} on ${where}`
}
