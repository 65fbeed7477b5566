// `deploy.resources.reservations.devices` and `gpus` of the Compose Specification. Swarm reserves countable things that the
// nodes name themselves; which device it is, and its options, it does not know.
import { stringsAt, textAt, valueAt } from './fields.ts'
import { exact } from './integer.ts'
import { type MapNode, type Node, quoted, shown } from './node.ts'
import type { Reading } from './reading.ts'
import type { Reservations } from './stack.ts'

type GenericResources = Reservations['genericResources'][number][]

const remedy =
  'Let the nodes’ engines advertise them (`node-generic-resources`), and reserve them with `generic_resources`.'

export function readDevices(reading: Reading, items: readonly Node[]): GenericResources {
  return items.flatMap((item) => {
    if (item.kind !== 'map') return []
    const resource = genericResource(reading, item)
    return resource === undefined ? [] : resource
  })
}

/** `gpus`: such devices with the capability `gpu`, or `all`. */
export function readGpus(reading: Reading, service: MapNode): GenericResources {
  const value = valueAt(service, 'gpus')
  if (value?.kind === 'list') {
    return value.items.flatMap((item) => (item.kind === 'map' ? (genericResource(reading, item, 'gpu') ?? []) : []))
  }
  if (value?.kind === 'string' && value.value === 'all') {
    reading.findings.error(value.place, 'Swarm can not reserve all GPUs of a node, only a number of them', remedy)
  }
  return []
}

function genericResource(
  { findings }: Reading,
  map: MapNode,
  implied?: string,
): { readonly kind: string; readonly value: number | bigint } | undefined {
  const refuse = (node: Node, message: string): undefined => {
    findings.error(node.place, message, remedy)
    return undefined
  }
  const capabilities = [...stringsAt(map, 'capabilities'), ...(implied === undefined ? [] : [implied])]
  if (!capabilities.includes('gpu')) {
    return refuse(
      map,
      `Swarm can reserve GPUs by their number, not devices for ${capabilities.map(quoted).join(', ') || 'nothing'}`,
    )
  }
  const ids = valueAt(map, 'device_ids')
  if (ids !== undefined) return refuse(ids, 'Swarm can not reserve GPUs by their ids, only a number of them')
  const count = valueAt(map, 'count')
  if (count === undefined || (count.kind === 'string' && !/^[0-9]+$/.test(count.value))) {
    return refuse(
      count ?? map,
      `Swarm can not reserve ${count ? shown(count) : 'all'} GPUs of a node, only a number of them`,
    )
  }
  const value = count.kind === 'integer' ? count.value : count.kind === 'string' ? BigInt(count.value) : 0n
  if (value < 1n) return refuse(count, `the number of GPUs must be at least 1, not ${shown(count)}`)
  const kind = textAt(map, 'driver') === 'nvidia' ? 'NVIDIA-GPU' : 'gpu'
  findings.warning(
    map.place,
    `the GPUs are reserved as the generic resource "${kind}": only nodes that advertise it get tasks`,
    'If the nodes’ engines advertise them under another name, write that into `generic_resources`.',
  )
  return { kind, value: exact(value) }
}
