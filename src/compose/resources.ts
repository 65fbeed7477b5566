// `deploy.resources`.
import { parseByteSize } from './byteSize.ts'
import { readDevices } from './devices.ts'
import { integerAt, itemsAt, mapAt, printed, textAt, valueAt } from './fields.ts'
import { exact } from './integer.ts'
import { parseNanoCpus } from './nanoCpus.ts'
import { type MapNode, shown } from './node.ts'
import type { Reading } from './reading.ts'
import type { Deploy, Integer, Limits, Reservations } from './stack.ts'

const int64 = [-(2n ** 63n), 2n ** 63n - 1n] as const

export function readResources(reading: Reading, map: MapNode | undefined): Deploy['resources'] {
  return {
    limits: readLimits(reading, mapAt(map, 'limits')),
    reservations: readReservations(reading, mapAt(map, 'reservations')),
  }
}

function readLimits(reading: Reading, map: MapNode | undefined): Limits | undefined {
  if (map === undefined) return undefined
  return {
    nanoCpus: cpusAt(reading, map, 'cpus'),
    memoryBytes: bytesAt(reading, map, 'memory'),
    pids: pidsAt(reading, map),
  }
}

function readReservations(reading: Reading, map: MapNode | undefined): Reservations | undefined {
  if (map === undefined) return undefined
  const genericResources = itemsAt(map, 'generic_resources').map((item) => {
    const spec = item.kind === 'map' ? mapAt(item, 'discrete_resource_spec') : undefined
    return spec && { kind: textAt(spec, 'kind'), value: integerAt(spec, 'value', reading.findings, int64) ?? 0 }
  })
  return {
    nanoCpus: cpusAt(reading, map, 'cpus'),
    memoryBytes: bytesAt(reading, map, 'memory'),
    genericResources: [...genericResources, ...readDevices(reading, itemsAt(map, 'devices'))],
  }
}

/** As text it is the Compose Specification's. */
function pidsAt({ findings }: Reading, map: MapNode): Integer {
  const node = valueAt(map, 'pids')
  if (node?.kind !== 'string') return integerAt(map, 'pids', findings, int64) ?? 0
  if (/^-?[0-9]{1,18}$/.test(node.value)) return exact(BigInt(node.value))
  findings.error(node.place, `pids: ${shown(node)} is not a whole number`, 'Correct the number.')
  return 0
}

/** Billionths of a processor. */
export function cpusAt({ findings }: Reading, map: MapNode, key: string): Integer {
  const node = valueAt(map, key)
  const text = node && printed(node)
  if (node === undefined || !text) return 0
  const nano = parseNanoCpus(text)
  if (typeof nano === 'bigint') return exact(nano)
  findings.error(node.place, `${key}: ${shown(node)} ${nano}`, 'Write a number such as "0.5" or "2".')
  return 0
}

export function bytesAt({ findings }: Reading, map: MapNode, key: string): Integer {
  const node = valueAt(map, key)
  if (node?.kind !== 'string' && node?.kind !== 'integer') return 0
  const bytes = parseByteSize(String(node.value))
  if (bytes !== undefined) return exact(bytes)
  findings.error(
    node.place,
    `${key}: ${shown(node)} is no size`,
    'Write a number and one of the units b, k, m, g, t, such as "512m".',
  )
  return 0
}
