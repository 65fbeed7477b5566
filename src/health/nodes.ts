import { nodeMatches, parseConstraints } from '../swarm/constraints.ts'
import type { Node } from '../swarm/node.ts'
import type { ServiceSpec } from '../swarm/service.ts'

/** Whether tasks may live on a node: neither drained nor down. A paused node keeps its tasks. Source: swarmkit's global orchestrator. */
export function isSchedulable(node: Node): boolean {
  return node.Spec.Availability !== 'drain' && node.Status.State !== 'down'
}

/** The schedulable nodes that a service's placement constraints allow. */
export function eligibleNodes(spec: ServiceSpec, nodes: readonly Node[]): readonly Node[] {
  const constraints = parseConstraints(spec.TaskTemplate.Placement?.Constraints ?? []) ?? []
  return nodes.filter((node) => isSchedulable(node) && nodeMatches(node, constraints))
}

/** A node's name for people. */
export function nodeName(nodes: readonly Node[], id: string | undefined): string {
  if (id === undefined || id === '') return 'no node yet'
  const hostname = nodes.find((node) => node.ID === id)?.Description.Hostname
  return hostname === undefined || hostname === '' ? id.slice(0, 12) : hostname
}

/** What keeps a node's tasks from counting; undefined where nothing does. */
export function nodeTrouble(nodes: readonly Node[], id: string | undefined): string | undefined {
  const node = nodes.find((candidate) => candidate.ID === id)
  if (node === undefined) return 'no longer a node of the swarm'
  if (node.Status.State === 'down') return 'down'
  if (node.Spec.Availability === 'drain') return 'drained'
  // Until it reports to a new leader, what its tasks are said to do is of before.
  return node.Status.State === 'ready' ? undefined : 'not heard of at the moment'
}
