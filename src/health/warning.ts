import type { Service } from '../swarm/service.ts'
import { modeOf, wantedReplicas } from './mode.ts'
import { nodeName } from './nodes.ts'
import type { Slots } from './slots.ts'
import { updateText } from './updating.ts'
import type { Expectation, Snapshot } from './verdict.ts'

/** What is worth a warning about a service although it is no failure. */
export function warningOf(
  service: Service,
  slots: Slots,
  expectation: Expectation,
  snapshot: Snapshot,
): string | undefined {
  const replicas = wantedReplicas(service)
  if (replicas === undefined && slots.desired === 0) {
    const constraints = service.Spec.TaskTemplate.Placement?.Constraints ?? []
    return `${modeOf(service.Spec)} service ${expectation.key} runs nowhere: no node is available to it${constraints.length === 0 ? '' : ` (its constraints are ${constraints.join(', ')})`}`
  }
  if (slots.pausedNodes.length > 0) {
    const names = slots.pausedNodes.map((node) => nodeName(snapshot.nodes, node.ID)).join(', ')
    return `${expectation.key} is not brought up to date on ${names}: paused nodes get no new tasks`
  }
  // Where an update with start-first meets a restart, Swarm may start two tasks in one place, and counts one of them only.
  const crowded = updateText(service, snapshot) === '' ? slots.slots.filter(({ living }) => living > 1) : []
  if (crowded.length > 0) {
    const places = crowded.map(({ name, living }) => `${living} tasks as ${name}`).join(', ')
    return `Swarm runs ${places}, where one is wanted. \`docker service update --force ${expectation.name}\` on a manager replaces them by one`
  }
  return undefined
}
