import type { FailureCode } from '../errors.ts'
import type { Service } from '../swarm/service.ts'
import type { Task } from '../swarm/task.ts'
import { type Cause, causeOf } from './causes.ts'
import { enteredAt } from './instant.ts'
import { restartLimit } from './mode.ts'
import { nodeName, nodeTrouble } from './nodes.ts'
import { isUnplaced, isUnplacedForGood, readingOf, unplacedText } from './placement.ts'
import { remedies } from './remedies.ts'
import { hasFailed, isEnded, isMeantToLive, type Slot, type Slots } from './slots.ts'
import type { Expectation, Snapshot } from './verdict.ts'
import { exitCodeOf, failureText, tellingOf } from './words.ts'

/** Why a service will not converge, found before the time is up. */
export interface EarlyFailure {
  readonly code: FailureCode
  readonly remedy?: string | undefined
  readonly sentence: string
  /** The tasks to blame. */
  readonly tasks: readonly Task[]
}

/** A hopeless error is not repeated more often than this before a run gives up (ms); a long restart delay must not hide it. */
const HOPELESS_AFTER = 25_000

/** How long (ms) a port or a subnet that is taken may stay so before that is a failure. */
const FREED_AFTER = 30_000

/** Looks for a slot that cannot come to run. Of several, the first in the order of the slots counts. */
export function findFailure(
  service: Service,
  slots: Slots,
  expectation: Expectation,
  snapshot: Snapshot,
): EarlyFailure | undefined {
  for (const slot of slots.slots) {
    const failure =
      givenUpBySwarm(slot, service, snapshot) ??
      (expectation.maxFailures === 0 ? undefined : givenUpByUs(slot, service, slots, expectation, snapshot))
    if (failure !== undefined) return failure
  }
  return undefined
}

/** Why the last of these tasks ended, as far as its error tells. */
export function causeOfTask(task: Task): Cause | undefined {
  return causeOf(task.Status.Err ?? '')
}

/** Restart condition `none`, or all attempts used up: Swarm leaves a task that ended in its slot, also one whose node went away. */
function givenUpBySwarm(slot: Slot, service: Service, snapshot: Snapshot): EarlyFailure | undefined {
  const { current } = slot
  if (current === undefined || restartLimit(service.Spec) === undefined || !isEnded(current, service)) return undefined
  const tasks = slot.failures.includes(current) ? slot.failures : [...slot.failures, current]
  const cause = causeOfTask(current)
  const reason = restartLimit(service.Spec) === 0 ? 'its restart condition is none' : 'its restart attempts are used up'
  if (!hasFailed(current, service) && current.Status.State !== 'orphaned') {
    const trouble = nodeTrouble(snapshot.nodes, current.NodeID)
    const node = `${nodeName(snapshot.nodes, current.NodeID)}${trouble === undefined ? '' : `, which is ${trouble}`}`
    return {
      code: 'no-suitable-node',
      remedy:
        'Deploy again: that starts it anew. Swarm moves a task to another node by itself where the restart condition is not `none` and attempts are left.',
      sentence: `${slot.name} was stopped on ${node}; Swarm does not start it again (${reason})`,
      tasks,
    }
  }
  return {
    code: cause?.code ?? (tasks.length > 1 ? 'crash-loop' : 'exited'),
    remedy: cause?.remedy ?? killedRemedy(current, service, cause),
    sentence: `${slot.name} ${failureText(tasks, service, snapshot)}; Swarm does not start it again (${reason})`,
    tasks,
  }
}

function givenUpByUs(
  slot: Slot,
  service: Service,
  slots: Slots,
  expectation: Expectation,
  snapshot: Snapshot,
): EarlyFailure | undefined {
  const { current, failures } = slot
  const last = tellingOf(failures)
  // What has come to run through the whole window is forgiven how it got there.
  const runsWell =
    slot.place === 'running' &&
    current !== undefined &&
    snapshot.now >= enteredAt(current, snapshot) + expectation.monitor
  if (last !== undefined && !runsWell) {
    const cause = causeOfTask(last)
    const enough = failures.length >= expectation.maxFailures
    const first = failures.find((task) => causeOfTask(task)?.definite)
    const hopeless =
      slot.place === 'pending' &&
      cause?.definite === true &&
      first !== undefined &&
      snapshot.now - enteredAt(first, snapshot) >= HOPELESS_AFTER
    // The container that an update replaces may hold its port for a while, a node the subnet of a network that is gone.
    const mayBeFreed = cause?.held === true && snapshot.now - enteredAt(failures[0] ?? last, snapshot) < FREED_AFTER
    if ((enough && !mayBeFreed) || hopeless) {
      const endsWell = last.Status.State === 'complete'
      return {
        code: cause?.code ?? (endsWell ? 'exited' : last.Status.State === 'rejected' ? 'rejected' : 'crash-loop'),
        remedy: cause?.remedy ?? killedRemedy(last, service, cause),
        sentence: `${slot.name} ${failureText(failures, service, snapshot)}`,
        tasks: failures,
      }
    }
  }
  if (
    current !== undefined &&
    isStuckInPull(current) &&
    snapshot.now - enteredAt(current, snapshot) >= HOPELESS_AFTER
  ) {
    const cause = causeOfTask(current)
    return {
      code: 'image-pull',
      remedy: `${cause?.remedy ?? remedies['image-pull']} The node does not pull again for this task: once that is mended, start it anew with \`docker service update --force ${service.Spec.Name}\` on a manager.`,
      sentence: `${slot.name} is stuck on ${nodeName(snapshot.nodes, current.NodeID)}: ${current.Status.Err}`,
      tasks: [...failures, current],
    }
  }
  if (current !== undefined && isUnplaced(current) && isUnplacedForGood(current, snapshot)) {
    const error = current.Status.Err ?? ''
    return {
      code: 'no-suitable-node',
      sentence: `${slot.name} ${unplacedText(current)}: ${error}${readingOf(error, service, slots.desired, snapshot)}`,
      tasks: [current],
    }
  }
  return undefined
}

/**
 * From Docker 29.6 on, a pull that failed for what may pass, such as a name server that does not answer, leaves its task `preparing`
 * together with the error, for ever: the node looks every second whether the image has come, and does not ask for it again.
 * Source: moby daemon/cluster/executor/container/controller.go, Prepare.
 */
function isStuckInPull(task: Task): boolean {
  return task.Status.State === 'preparing' && isMeantToLive(task) && causeOfTask(task)?.code === 'image-pull'
}

/** Swarm does not say that the kernel killed a container for want of memory; 137 under a limit usually is that. */
function killedRemedy(task: Task, service: Service, cause: Cause | undefined): string | undefined {
  const limit = Number(service.Spec.TaskTemplate.Resources?.Limits?.MemoryBytes ?? 0)
  if (cause !== undefined || limit === 0 || exitCodeOf(task) !== 137) return undefined
  const mebibytes = Math.round((limit / 2 ** 20) * 10) / 10
  return `Exit code 137 is a kill, and each task may use ${mebibytes} MiB of memory: most likely it needed more. Raise \`deploy.resources.limits.memory\`, or let the process use less.`
}
