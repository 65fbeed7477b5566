import type { Node } from '../swarm/node.ts'
import type { Service } from '../swarm/service.ts'
import { isTerminal, type Task } from '../swarm/task.ts'
import { instantOf } from './instant.ts'
import { hasSlots, type Mode, mayComplete, modeOf, wantedReplicas } from './mode.ts'
import { eligibleNodes, nodeName, nodeTrouble } from './nodes.ts'
import { isUpToDate } from './upToDate.ts'
import type { Expectation, Snapshot } from './verdict.ts'

/** One place where a task of a service has to run: a numbered slot, or a node. */
export interface Slot {
  /** `web.2`, or `agent on node-a`. */
  readonly name: string
  /** The task of the wanted spec that holds it now, dead or alive; undefined while an older generation does. */
  readonly current: Task | undefined
  /** This run's failed tasks of the wanted spec, oldest first. */
  readonly failures: readonly Task[]
  readonly place: 'running' | 'completed' | 'pending'
  /** Whether a task of whatever generation is meant to live here, or has done what was wanted. */
  readonly held: boolean
  /** Of the wanted spec, running and meant to: one at most, unless Swarm has started another beside it. */
  readonly living: number
}

/** A service's slots, counted. */
export interface Slots {
  readonly mode: Mode
  readonly slots: readonly Slot[]
  readonly running: number
  readonly completed: number
  readonly desired: number
  /** Nodes that a global service would have to be on or be renewed on, were they not paused. */
  readonly pausedNodes: readonly Node[]
}

/**
 * Sorts a service's tasks into its slots. A slot is held by the newest task of the wanted spec that is meant to live; where none is,
 * by the newest task of all. Tasks older than the run may serve, since Swarm keeps those that a write did not change (another label, or
 * A, B, A in a hurry), but their failures are not this run's.
 */
export function slotsOf(service: Service, expectation: Expectation, snapshot: Snapshot): Slots {
  const mode = modeOf(service.Spec)
  const usable = new Set(
    snapshot.nodes.filter((node) => nodeTrouble(snapshot.nodes, node.ID) === undefined).map((node) => node.ID),
  )
  const groups = new Map<string, Task[]>()
  for (const task of snapshot.tasks) {
    if (task.ServiceID !== service.ID) continue
    const key = hasSlots(mode) ? String(task.Slot ?? 0) : (task.NodeID ?? '')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [task])
    else group.push(task)
  }

  const replicas = wantedReplicas(service)
  const eligible = replicas === undefined ? eligibleNodes(service.Spec, snapshot.nodes) : []
  const slotOf = (key: string, name: string): Slot => {
    const tasks = (groups.get(key) ?? []).sort((left, right) => instantOf(right.CreatedAt) - instantOf(left.CreatedAt))
    const wanted = new Set(tasks.filter((task) => isUpToDate(task, service, snapshot)))
    const living = tasks.find((task) => wanted.has(task) && isMeantToLive(task))
    const newest = tasks[0]
    const current = living ?? (newest !== undefined && wanted.has(newest) ? newest : undefined)
    const place = placeOf(current, service, usable)
    return {
      name,
      current,
      failures: tasks
        .filter(
          (task) => wanted.has(task) && instantOf(task.CreatedAt) >= expectation.since && hasFailed(task, service),
        )
        .reverse(),
      place,
      held: place === 'completed' || tasks.some(isMeantToLive),
      living: tasks.filter((task) => wanted.has(task) && placeOf(task, service, usable) === 'running').length,
    }
  }

  const numbered = [...groups.keys()]
    .filter((key) => hasSlots(mode) && key !== '')
    .sort((left, right) => Number(left) - Number(right))
    .map((key) => slotOf(key, `${expectation.key}.${key}`))
  // Swarm keeps the tasks of a slot that it gave up where fewer replicas are wanted by now: it is none of those wanted.
  const isSatisfied = mode === 'replicated' && numbered.filter(({ held }) => held).length >= (replicas ?? 0)
  const onNodes = eligible.map((node) => ({
    node,
    slot: slotOf(node.ID, `${expectation.key} on ${nodeName(snapshot.nodes, node.ID)}`),
  }))
  // Swarm starts nothing on a paused node: it is not waited for.
  const isLeftOut = ({ node, slot }: (typeof onNodes)[number]): boolean =>
    node.Spec.Availability === 'pause' && slot.place === 'pending'
  const slots =
    replicas === undefined
      ? onNodes.filter((one) => !isLeftOut(one)).map(({ slot }) => slot)
      : numbered.filter(({ held }) => held || !isSatisfied)
  return {
    mode,
    slots,
    running: slots.filter((slot) => slot.place === 'running').length,
    completed: slots.filter((slot) => slot.place === 'completed').length,
    desired: replicas ?? slots.length,
    pausedNodes: onNodes.filter(isLeftOut).map(({ node }) => node),
  }
}

/** Whether a task ended without having done what was wanted. A service that Swarm always restarts must not end at all. */
export function hasFailed(task: Task, service: Service): boolean {
  const { State: state } = task.Status
  return state === 'failed' || state === 'rejected' || (state === 'complete' && !mayComplete(service.Spec))
}

/**
 * Whether Swarm has ended a task that had not done what was wanted; where restarts are limited and no other is in its place, the place is
 * given up. What was merely stopped on a node is no such end for a service that is on every node: it gets a new task when the node is back.
 */
export function isEnded(task: Task, service: Service): boolean {
  if (isMeantToLive(task) || task.DesiredState === 'remove') return false
  if (hasFailed(task, service) || task.Status.State === 'orphaned') return true
  return task.Status.State !== 'complete' && hasSlots(modeOf(service.Spec))
}

/** What Swarm wants of a task: to run, or of a job's to complete. */
export function isMeantToLive(task: Task): boolean {
  return task.DesiredState === 'complete' || !isTerminal(task.DesiredState)
}

function placeOf(task: Task | undefined, service: Service, usable: ReadonlySet<string>): Slot['place'] {
  if (task === undefined) return 'pending'
  if (task.Status.State === 'complete' && mayComplete(service.Spec)) return 'completed'
  const runs = task.Status.State === 'running' && isMeantToLive(task) && task.DesiredState !== 'ready'
  return runs && usable.has(task.NodeID ?? '') ? 'running' : 'pending'
}
