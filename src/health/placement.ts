import { shortList } from '../shortList.ts'
import type { Node } from '../swarm/node.ts'
import type { GenericResource, Service } from '../swarm/service.ts'
import { isTerminal, type Task } from '../swarm/task.ts'
import { enteredAt } from './instant.ts'
import { hasSlots, modeOf } from './mode.ts'
import { isSchedulable, nodeName, nodeTrouble } from './nodes.ts'
import { isMeantToLive } from './slots.ts'
import type { Snapshot } from './verdict.ts'

/** Whether the scheduler looked for a node and found none, or will not have the task on the one that a service on every node wants. */
export function isUnplaced(task: Task): boolean {
  return task.Status.State === 'pending' && (task.Status.Err ?? '') !== ''
}

/** `has no node` or the like. Source of the difference: swarmkit manager/scheduler, noSuitableNode and taskFitNode. */
export function unplacedText({ Status: { Err: error = '' } }: Task): string {
  return /^no suitable node/.test(error) ? 'has no node' : 'cannot be put there'
}

/** What an older task may still be holding gets longer than what only a person can change. */
export function isUnplacedForGood(task: Task, snapshot: Snapshot): boolean {
  const error = task.Status.Err ?? ''
  const since = enteredAt(task, snapshot)
  const isPort = /host-mode port/.test(error)
  if (!isPort && !/insufficient resources|max replicas/.test(error)) return snapshot.now - since >= 5_000
  return snapshot.now - Math.max(since, freedAt(snapshot)) >= (isPort ? 30_000 : 20_000)
}

/** Until when (ms) tasks held what they are stopped for; now, while one still does, however long its grace period. */
function freedAt(snapshot: Snapshot): number {
  const ends = snapshot.tasks
    .filter((task) => !isMeantToLive(task) && nodeTrouble(snapshot.nodes, task.NodeID) === undefined)
    .map((task) => (isTerminal(task.Status.State) ? enteredAt(task, snapshot) : snapshot.now))
  return Math.max(0, ...ends)
}

/** What the service asks for, next to the scheduler's reasons; starts with `; ` where there is something to say. */
export function readingOf(error: string, service: Service, desired: number, snapshot: Snapshot): string {
  return readings
    .filter(({ pattern }) => pattern.test(error))
    .map(({ read }) => read(service, desired, snapshot))
    .filter((text) => text !== '')
    .map((text) => `; ${text}`)
    .join('')
}

interface Reading {
  readonly pattern: RegExp
  readonly read: (service: Service, desired: number, snapshot: Snapshot) => string
}

const readings: readonly Reading[] = [
  {
    pattern: /not available for new tasks/,
    read: (_service, _desired, { nodes }) => {
      const troubles = nodes.map((node) => whyNoNewTasks(node, nodes))
      const kinds = [...new Set(troubles)].flatMap((trouble) => {
        const those = nodes.filter((_node, index) => troubles[index] === trouble)
        return trouble === undefined ? [] : [`${namesOf(those)} (${trouble})`]
      })
      return kinds.length === 0 ? '' : `not available: ${kinds.join(', ')}`
    },
  },
  {
    pattern: /constraints not satisfied/,
    read: ({ Spec: { TaskTemplate: template } }) => {
      const constraints = template.Placement?.Constraints ?? []
      return constraints.length === 0 ? '' : `its constraints are ${constraints.join(', ')}`
    },
  },
  {
    pattern: /insufficient resources/,
    read: ({ Spec: { TaskTemplate: template } }) => {
      const { NanoCPUs: cpus, MemoryBytes: memory, GenericResources: generic } = template.Resources?.Reservations ?? {}
      const wanted = [
        Number(cpus ?? 0) > 0 ? `${Number(cpus) / 1e9} CPUs` : '',
        Number(memory ?? 0) > 0 ? `${Math.ceil(Number(memory) / 2 ** 20)} MiB of memory` : '',
        ...(generic ?? []).map(genericText),
      ].filter((text) => text !== '')
      return wanted.length === 0 ? '' : `each task reserves ${wanted.join(' and ')}`
    },
  },
  {
    pattern: /unsupported platform/,
    read: ({ Spec: { TaskTemplate: template } }, _desired, { nodes }) => {
      const image = (template.Placement?.Platforms ?? []).map((platform) => `${platform.OS}/${platform.Architecture}`)
      if (image.length === 0) return ''
      const able = nodes.filter(isSchedulable)
      const there = new Set(able.map(platformOf))
      const kinds = [...there].map(
        (platform) => `${platform} (${namesOf(able.filter((node) => platformOf(node) === platform))})`,
      )
      return `the image is built for ${unique(image)}, the nodes are ${kinds.join(', ')}`
    },
  },
  {
    pattern: /max replicas per node/,
    read: ({ Spec: { TaskTemplate: template } }, desired) =>
      `${desired} tasks are wanted, at most ${template.Placement?.MaxReplicas ?? 0} on a node`,
  },
  {
    pattern: /host-mode port/,
    read: ({ Spec: spec }, desired) => {
      const { EndpointSpec: endpoint, UpdateConfig: update } = spec
      const ports = (endpoint?.Ports ?? [])
        .filter((port) => port.PublishMode === 'host')
        .map((port) => port.PublishedPort)
      return ports.length === 0
        ? ''
        : `a node can publish host port ${ports.join(', ')} for one task only, and ${update?.Order === 'start-first' ? 'start-first needs it twice' : desired > 1 && hasSlots(modeOf(spec)) ? `${desired} are wanted` : 'something else has it'}`
    },
  },
  {
    pattern: /missing plugin/,
    read: ({ Spec: { TaskTemplate: template } }, _desired, { nodes }) => {
      const volumes = (template.ContainerSpec?.Mounts ?? []).map((mount) => mount.VolumeOptions?.DriverConfig?.Name)
      const wanted = [
        ...volumes.map((name) => ({ type: 'Volume', name })),
        { type: 'Log', name: template.LogDriver?.Name },
      ]
      return unique(
        wanted.map(({ type, name }) => {
          if (name === undefined || name === '') return ''
          const able = nodes.filter(isSchedulable)
          const without = able.filter((node) => !hasPlugin(node, type, name))
          const driver = `the ${type.toLowerCase()} driver ${name}`
          if (without.length === 0) return ''
          return without.length === able.length ? `no node has ${driver}` : `${driver} is not on ${namesOf(without)}`
        }),
      )
    },
  },
]

function namesOf(nodes: readonly Node[]): string {
  return shortList(
    nodes.map(({ ID }) => nodeName(nodes, ID)),
    5,
  )
}

/** Source: swarmkit manager/scheduler/filter.go, ReadyFilter. */
function whyNoNewTasks({ ID, Spec: spec }: Node, nodes: readonly Node[]): string | undefined {
  return nodeTrouble(nodes, ID) ?? (spec.Availability === 'pause' ? 'paused' : undefined)
}

/** `2 gpu`, or one by its name: `gpu UUID1`. */
function genericText({ DiscreteResourceSpec: number, NamedResourceSpec: named }: GenericResource): string {
  if (number) return `${number.Value} ${number.Kind}`
  return named ? `${named.Kind} ${named.Value}` : ''
}

function platformOf({ Description: { Platform: platform } }: Node): string {
  return `${platform?.OS}/${platform?.Architecture}`
}

/** Swarm counts `name` and `name:latest` as one. Source: swarmkit manager/scheduler/filter.go, PluginFilter. */
function hasPlugin({ Description: { Engine: engine } }: Node, type: string, name: string): boolean {
  return (engine?.Plugins ?? []).some(
    (plugin) => plugin.Type === type && (plugin.Name === name || plugin.Name === `${name}:latest`),
  )
}

function unique(texts: readonly string[]): string {
  return [...new Set(texts)].filter((text) => text !== '').join(', ')
}
