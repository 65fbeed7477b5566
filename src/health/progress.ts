import type { FailureCode } from '../errors.ts'
import type { Service } from '../swarm/service.ts'
import { causeOfTask } from './failure.ts'
import { enteredAt } from './instant.ts'
import { isNativeJob, mayComplete, modeOf, restartLimit } from './mode.ts'
import { nodeName, nodeTrouble } from './nodes.ts'
import { isUnplaced, unplacedText } from './placement.ts'
import { hasFailed, isMeantToLive, type Slot, type Slots } from './slots.ts'
import type { Expectation, Snapshot } from './verdict.ts'
import { failureText, tellingOf, times } from './words.ts'

/** A sentence, the same without durations, and what a time-out would be called now. */
export interface Progress {
  readonly sentence: string
  readonly stage: string
  readonly code?: FailureCode | undefined
}

/** So many slots are told one by one, the others are counted. */
const TOLD = 3

/** A task that stays in one state for longer (ms) is called stalled should the time run out. */
const STALLED_AFTER = 60_000

/** `2/3 running`, or what it is that a job's tasks have done. */
export function countText(slots: Slots, service: Service): string {
  const { running, completed, desired } = slots
  if (isNativeJob(slots.mode)) return `${completed}/${desired} completed`
  if (!mayComplete(service.Spec) || completed === 0) return `${running}/${desired} running`
  return running === 0 ? `${completed}/${desired} completed` : `${running + completed}/${desired} running or completed`
}

/** What is still missing until all wanted tasks run. */
export function progressOf(
  service: Service,
  slots: Slots,
  expectation: Expectation,
  snapshot: Snapshot,
  updating: string,
): Progress {
  const missing = slots.slots.filter((slot) => isMissing(slot, slots))
  const told = missing.slice(0, TOLD).map((slot) => slotText(slot, service, expectation, snapshot))
  const unborn = slots.desired - slots.running - slots.completed - missing.length
  const rest = [
    missing.length > TOLD ? `and ${missing.length - TOLD} more` : '',
    unborn > 0 ? `${unborn} not created yet` : '',
  ]
  const head = [countText(slots, service), updating].filter((text) => text !== '').join(', ')
  const joined = (slots: readonly string[]): string =>
    [head, ...slots, ...rest].filter((text) => text !== '').join('; ')
  return {
    sentence: joined(told.map(({ text, since }) => text + lasting(since, snapshot))),
    // Once it has failed, how far the next attempt is would only repeat the error.
    stage: joined(told.map(({ text, failed }) => failed ?? text)),
    code: firstCode(missing, snapshot),
  }
}

function isMissing(slot: Slot, slots: Slots): boolean {
  if (slot.place === 'completed') return false
  return slot.place === 'pending' || isNativeJob(slots.mode)
}

function lasting(since: number | undefined, snapshot: Snapshot): string {
  if (since === undefined) return ''
  const seconds = Math.floor((snapshot.now - since) / 1000)
  return seconds < 1 ? '' : ` for ${seconds} s`
}

interface SlotText {
  readonly text: string
  /** When its task entered its state (ms, manager's clock). */
  readonly since?: number
  /** What became of the attempts so far, where one has failed. */
  readonly failed?: string
}

function slotText(slot: Slot, service: Service, expectation: Expectation, snapshot: Snapshot): SlotText {
  const { failures, name } = slot
  const told = attemptText(slot, service, expectation, snapshot)
  return failures.length === 0 ? told : { ...told, failed: `${name} ${failureText(failures, service, snapshot)}` }
}

function attemptText(slot: Slot, service: Service, expectation: Expectation, snapshot: Snapshot): SlotText {
  const { current, failures, name } = slot
  const earlier =
    failures.length === 0
      ? ''
      : ` (${failureText(failures, service, snapshot)}${limitText(slot, service, expectation)})`
  if (current === undefined) {
    return failures.length === 0
      ? { text: `${name} not replaced yet` }
      : { text: `${name} ${failureText(failures, service, snapshot)}` }
  }
  const node = nodeName(snapshot.nodes, current.NodeID)
  // The name of a global service's slot is that of its node already.
  const at = current.Slot === undefined && name.endsWith(` on ${node}`) ? '' : ` on ${node}`
  const since = enteredAt(current, snapshot)
  const { State: state, Err: error = '' } = current.Status
  if (isUnplaced(current)) return { text: `${name} ${unplacedText(current)}, ${error}${earlier}`, since }
  if (hasFailed(current, service) || state === 'orphaned') {
    const tasks = failures.length === 0 ? [current] : failures
    return { text: `${name} ${failureText(tasks, service, snapshot)}${limitText(slot, service, expectation)}` }
  }
  switch (state) {
    case 'new':
      return { text: `${name} new${earlier}, waiting for its networks and ports`, since }
    case 'allocated':
    case 'pending':
      return { text: `${name} waiting for a node${earlier}`, since }
    case 'preparing':
      return { text: `${name} preparing${at}${error === '' ? ' (pulling the image?)' : `: ${error}`}${earlier}`, since }
    case 'ready':
      return {
        text: `${name} ready${at}, ${failures.length === 0 ? 'about to start' : `to be started again${earlier}`}`,
      }
    case 'starting':
      return {
        text: `${name} starting${at}${mayWaitForHealth(service, since, snapshot) ? ' (waiting for its health check?)' : ''}${earlier}`,
        since,
      }
    case 'running':
      if (!isMeantToLive(current)) return { text: `${name} being stopped${at}${earlier}` }
      if (isNativeJob(modeOf(service.Spec))) return { text: `${name} running${at}`, since }
      return {
        text: `${name}${at}, which is ${nodeTrouble(snapshot.nodes, current.NodeID) ?? 'not meant to run it yet'}`,
      }
    default:
      return { text: `${name} ${state}${at}${error === '' ? '' : `: ${error}`}${earlier}`, since }
  }
}

/** A container without a health check is up within a moment; whether the image brings one the manager does not say. */
function mayWaitForHealth(service: Service, since: number | undefined, snapshot: Snapshot): boolean {
  const off = service.Spec.TaskTemplate.ContainerSpec?.Healthcheck?.Test?.[0] === 'NONE'
  return !off && since !== undefined && snapshot.now - since >= 3000
}

/** How near a slot with failures is to being given up. */
function limitText(slot: Slot, service: Service, expectation: Expectation): string {
  const limit = restartLimit(service.Spec)
  const tries =
    limit === undefined || limit === 0 || isNativeJob(modeOf(service.Spec)) ? Number.POSITIVE_INFINITY : limit + 1
  const allowed = Math.min(tries, expectation.maxFailures === 0 ? Number.POSITIVE_INFINITY : expectation.maxFailures)
  return allowed === Number.POSITIVE_INFINITY || slot.failures.length >= allowed
    ? ''
    : `; given up when it has failed ${times(allowed)}`
}

/** What the first slot that is missing would be blamed for. */
function firstCode(missing: readonly Slot[], snapshot: Snapshot): FailureCode | undefined {
  for (const { current, failures } of missing) {
    const last = tellingOf(failures)
    if (last !== undefined) {
      return causeOfTask(last)?.code ?? (last.Status.State === 'complete' ? 'exited' : 'crash-loop')
    }
    if (current === undefined) continue
    if (isUnplaced(current)) return 'no-suitable-node'
    const lasted = snapshot.now - enteredAt(current, snapshot)
    if (current.Status.State === 'new' && lasted > STALLED_AFTER / 4) return 'network'
    if (current.Status.State !== 'running' && lasted > STALLED_AFTER) return 'stalled'
  }
  return undefined
}
