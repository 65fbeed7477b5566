import type { Service } from '../compose/stack.ts'
import type { HealthConfig } from '../swarm/service.ts'
import { manifestError, placeOf, type Report } from './findings.ts'
import { nonEmpty, present } from './wire.ts'

/** `ContainerSpec.Healthcheck`: sent where the block is, even an empty one; `disable` sends the test `NONE` alone. */
export function convertHealthcheck(service: Service, report: Report): HealthConfig | undefined {
  const { healthcheck } = service
  if (healthcheck === undefined) return undefined
  const { disable, test, interval, timeout, startPeriod, startInterval, retries } = healthcheck
  if (disable) {
    if (test.length > 0) {
      report(
        manifestError(
          placeOf(service, 'healthcheck.disable'),
          `service ${service.name}: test and disable can't be set at the same time`,
          'Remove "test:" or "disable:" from the healthcheck.',
        ),
      )
    }
    return { Test: ['NONE'] }
  }
  return present({
    Test: nonEmpty(test),
    Interval: nonEmpty(interval),
    Timeout: nonEmpty(timeout),
    StartPeriod: nonEmpty(startPeriod),
    StartInterval: nonEmpty(startInterval),
    Retries: nonEmpty(retries),
  })
}
