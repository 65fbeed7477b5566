// Keys of a service in the Compose Specification that say what a key under `deploy` says: `mem_limit`, `scale` and others.
import type { Position } from '../errors.ts'
import { readGpus } from './devices.ts'
import { integerAt, placeAt, printed, valueAt } from './fields.ts'
import { exact } from './integer.ts'
import { type MapNode, shown } from './node.ts'
import { platformConstraints } from './platform.ts'
import type { Reading } from './reading.ts'
import { bytesAt, cpusAt } from './resources.ts'
import type { Deploy, Integer } from './stack.ts'

/** Each with the key that it stands for. */
const long = {
  cpus: 'deploy.resources.limits.cpus',
  cpu_quota: 'deploy.resources.limits.cpus',
  mem_limit: 'deploy.resources.limits.memory',
  pids_limit: 'deploy.resources.limits.pids',
  mem_reservation: 'deploy.resources.reservations.memory',
  scale: 'deploy.replicas',
} as const

type Shorthand = keyof typeof long

/** Messages about the long key then point to the short one. */
export function placesOfShorthands(places: Readonly<Record<string, Position>>): Record<string, Position> {
  const added: Record<string, Position> = {}
  for (const [short, key] of Object.entries(long)) {
    const place = places[short]
    if (place !== undefined && places[key] === undefined) added[key] = place
  }
  return added
}

/** The block with what the short keys say. Where both are there, they must say the same. */
export function withShorthands(reading: Reading, service: MapNode, deploy: Deploy): Deploy {
  const { limits, reservations } = deploy.resources
  const pick = <Value extends Integer | undefined>(key: Shorthand, earlier: Value, value: Integer): Value | Integer => {
    if (!service.entries.has(key)) return earlier
    // Of limits and reservations, 0 is what is not given.
    if (earlier === undefined || earlier === value || (earlier === 0 && key !== 'scale')) return value
    const message = `"${key}" says something else than "${long[key]}"`
    reading.findings.error(placeAt(service, key), message, 'Remove one of the two.')
    return earlier
  }
  const has = (...keys: readonly string[]): boolean => keys.some((key) => service.entries.has(key))
  const cpus = pick('cpus', limits?.nanoCpus ?? 0, cpusAt(reading, service, 'cpus'))
  const period = valueAt(service, 'cpu_period')
  if (period !== undefined && !service.entries.has('cpu_quota')) {
    const message = '"cpu_period" is ignored: nothing is limited without a "cpu_quota" beside it'
    reading.findings.warning(period.place, message, 'Write both, or `cpus`.')
  }
  const gpus = readGpus(reading, service)
  return {
    ...deploy,
    replicas: pick('scale', deploy.replicas, integerAt(service, 'scale', reading.findings) ?? 0),
    placement: {
      ...deploy.placement,
      constraints: [...deploy.placement.constraints, ...platformConstraints(reading, service)],
    },
    resources: {
      limits: has('cpus', 'cpu_quota', 'mem_limit', 'pids_limit')
        ? {
            nanoCpus: pick('cpu_quota', cpus, quotaAt(reading, service)),
            memoryBytes: pick('mem_limit', limits?.memoryBytes ?? 0, bytesAt(reading, service, 'mem_limit')),
            pids: pick('pids_limit', limits?.pids ?? 0, wholeAt(reading, service, 'pids_limit')),
          }
        : limits,
      reservations:
        has('mem_reservation') || gpus.length > 0
          ? {
              nanoCpus: reservations?.nanoCpus ?? 0,
              memoryBytes: pick(
                'mem_reservation',
                reservations?.memoryBytes ?? 0,
                bytesAt(reading, service, 'mem_reservation'),
              ),
              genericResources: [...(reservations?.genericResources ?? []), ...gpus],
            }
          : reservations,
    },
  }
}

/** A number, or its text; what is negative means no limit, which is 0 here. */
function wholeAt({ findings }: Reading, map: MapNode, key: string): Integer {
  const node = valueAt(map, key)
  const text = node && printed(node)
  if (node === undefined || !text) return 0
  if (!/^-?[0-9]{1,18}$/.test(text)) {
    findings.error(node.place, `${key}: ${shown(node)} is not a whole number`, 'Correct the number.')
    return 0
  }
  const value = BigInt(text)
  return value < 0n ? 0 : exact(value)
}

/** `cpu_quota` microseconds of each `cpu_period` (100,000 where not given), in billionths of a processor. */
function quotaAt(reading: Reading, service: MapNode): Integer {
  const period = BigInt(wholeAt(reading, service, 'cpu_period')) || 100_000n
  return exact((BigInt(wholeAt(reading, service, 'cpu_quota')) * 1_000_000_000n) / period)
}
