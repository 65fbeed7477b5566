import { flagAt, integerAt, mapAt, stringsAt, valueAt } from './fields.ts'
import { parseGoDuration } from './goDuration.ts'
import { exact } from './integer.ts'
import type { MapNode } from './node.ts'
import type { Reading } from './reading.ts'
import type { Healthcheck, Integer } from './stack.ts'

/** A test written as one text is run by the container's shell. */
export function readHealthcheck({ findings }: Reading, service: MapNode): Healthcheck | undefined {
  const map = mapAt(service, 'healthcheck')
  if (map === undefined) return undefined
  const test = valueAt(map, 'test')
  return {
    test: test?.kind === 'string' ? ['CMD-SHELL', test.value] : stringsAt(map, 'test'),
    interval: durationAt(map, 'interval'),
    timeout: durationAt(map, 'timeout'),
    startPeriod: durationAt(map, 'start_period'),
    startInterval: durationAt(map, 'start_interval'),
    retries: integerAt(map, 'retries', findings, [0n, 2n ** 64n - 1n]),
    disable: flagAt(map, 'disable'),
  }
}

/** Nanoseconds. */
export function durationAt(map: MapNode | undefined, key: string): Integer | undefined {
  const value = valueAt(map, key)
  if (value?.kind !== 'string') return undefined
  const nanoseconds = parseGoDuration(value.value)
  return nanoseconds === undefined ? undefined : exact(nanoseconds)
}
