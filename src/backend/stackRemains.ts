import type { Engine } from '../engine/engine.ts'
import { hasSlots, modeOf } from '../health/mode.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'
import { isTerminal } from '../swarm/task.ts'
import { isReleaseRecord } from './releaseRecords.ts'

/** In the order of removal: swarm refuses to remove what a service still uses. */
export const KINDS = ['service', 'config', 'secret', 'network'] as const

/** Something that carries a stack's label. */
export interface StackObject {
  readonly kind: (typeof KINDS)[number]
  readonly id: string
  readonly name: string
  /** Why the engine would not remove it, where it was asked to. */
  readonly refusal?: Error | undefined
}

/** A task whose service is removed, and whose container may take its time to stop. */
export interface EndingTask {
  /** `shop_web.2`; its id where the service was gone before the first look. */
  readonly name: string
  /** Hostname; empty for a task that never got a node. */
  readonly node: string
  /** `ready`, `down` …; empty where there is no such node. */
  readonly nodeState: string
  /** How long (ms) its container is given to stop. */
  readonly graceMs: number
}

/** What the swarm still shows of a stack, but for volumes and release records. */
export interface Remains {
  /** In the order of removal. */
  readonly objects: readonly StackObject[]
  readonly tasks: readonly EndingTask[]
}

/** What dockerd gives a container to stop where the spec says nothing. Source: moby container/container.go. */
const DEFAULT_GRACE = 10_000

/** A look that remembers the services it saw: tasks outlive them, and know only their ids. */
export function createLook(namespace: string, engine: Engine, signal: AbortSignal | undefined): () => Promise<Remains> {
  const known = new Map<string, { readonly name: string; readonly hasSlots: boolean }>()
  return async () => {
    const label = { label: [`${NAMESPACE_LABEL}=${namespace}`] }
    const options = { signal }
    const [services, configs, secrets, networks, tasks, nodes] = await Promise.all([
      engine.listServices(label, options),
      engine.listConfigs(label, options),
      engine.listSecrets(label, options),
      engine.listNetworks(label, options),
      engine.listTasks(label, options),
      engine.listNodes(undefined, options),
    ])
    for (const { ID, Spec } of services) {
      known.set(ID, { name: Spec.Name ?? ID, hasSlots: hasSlots(modeOf(Spec)) })
    }
    const stored =
      (kind: StackObject['kind']) =>
      ({ ID, Spec }: { readonly ID: string; readonly Spec: { readonly Name?: string } }): StackObject => ({
        kind,
        id: ID,
        name: Spec.Name ?? ID,
      })
    const byName = (left: { readonly name: string }, right: { readonly name: string }): number =>
      left.name < right.name ? -1 : 1
    const removed = tasks.filter(
      (task) => !isTerminal(task.Status.State) && !services.some(({ ID }) => ID === task.ServiceID),
    )
    return {
      objects: [
        ...services.map(stored('service')).sort(byName),
        ...configs
          .filter((config) => !isReleaseRecord(config))
          .map(stored('config'))
          .sort(byName),
        ...secrets.map(stored('secret')).sort(byName),
        ...networks.map(({ Id, Name }): StackObject => ({ kind: 'network', id: Id, name: Name })).sort(byName),
      ],
      tasks: removed
        .map((task): EndingTask => {
          const service = known.get(task.ServiceID)
          const node = nodes.find(({ ID }) => ID === task.NodeID)
          const grace = task.Spec.ContainerSpec?.StopGracePeriod
          return {
            name: service === undefined ? task.ID : `${service.name}${service.hasSlots ? `.${task.Slot ?? 0}` : ''}`,
            node: node?.Description?.Hostname ?? task.NodeID ?? '',
            nodeState: node?.Status?.State ?? '',
            graceMs: grace === undefined || grace === null ? DEFAULT_GRACE : Number(grace) / 1e6,
          }
        })
        .sort(byName),
    }
  }
}
