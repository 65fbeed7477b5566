import type { Service } from '../swarm/service.ts'
import { isTerminal } from '../swarm/task.ts'
import { nodeName } from './nodes.ts'
import { sameSpec } from './sameSpec.ts'
import type { Snapshot } from './verdict.ts'

/** `update under way` or the like, and what it waits for; empty where there is none. */
export function updateText(service: Service, snapshot: Snapshot): string {
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

/** Whether the last update asked for other tasks and Swarm has not said anything about it yet. */
export function isFreshUpdate(service: Service): boolean {
  const { Spec: spec, PreviousSpec: previous, UpdateStatus: status, JobStatus: job } = service
  // A job's tasks name the run that they belong to.
  if (job) return false
  if (previous === undefined || previous === null || (status?.State ?? '') !== '') return false
  return (
    !sameSpec(previous.TaskTemplate, spec.TaskTemplate) ||
    !sameSpec(previous.EndpointSpec ?? {}, spec.EndpointSpec ?? {})
  )
}
