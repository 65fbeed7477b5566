import type { Service, ServiceSpec } from '../swarm/service.ts'
import { instantOf } from './instant.ts'
import { wantedReplicas } from './mode.ts'
import type { Expectation } from './verdict.ts'

/** Less than this says nothing about a service: Swarm's own default for watching an update. */
const SHORTEST_MONITOR = 5000

/**
 * From which instant (ms, manager's clock) tasks are those of this run's write. `UpdatedAt` also moves when Swarm notes the progress of
 * the update, so the update's start counts if it is newer than what was read before the write.
 *
 * @param service as first read after the writes
 * @param previousUpdatedAt its `UpdatedAt` as read before the write; undefined if this run created it
 */
export function sinceOfWrite(service: Service, previousUpdatedAt?: string): number {
  if (previousUpdatedAt === undefined) return instantOf(service.CreatedAt)
  const updated = instantOf(service.UpdatedAt)
  const started = instantOf(service.UpdateStatus?.StartedAt)
  return started > instantOf(previousUpdatedAt) ? Math.min(updated, started) : updated
}

/** What to expect of a service, from the first read after the writes. */
export function expectationOf(
  service: Service | undefined,
  options: {
    /** The manifest's key. */
    readonly key: string
    /** The swarm's name. */
    readonly name: string
    readonly written: boolean
    /** `UpdatedAt` as read before the write; undefined for a service that this run created. */
    readonly previousUpdatedAt?: string | undefined
    /** The run's first read (ms, manager's clock): from then on failures of a service left alone count. */
    readonly firstRead: number
    /** The input `monitor` in ms, used as given; without it each service's own, at least 5 s. */
    readonly monitor?: number | undefined
    readonly maxFailures: number
    /** Whether a live spec means what this run wants. */
    readonly isWanted?: ((live: ServiceSpec) => boolean) | undefined
  },
): Expectation {
  const own = Number(service?.Spec.UpdateConfig?.Monitor ?? 0) / 1e6
  return {
    key: options.key,
    name: options.name,
    id: service?.ID,
    written: options.written,
    since:
      service !== undefined && options.written ? sinceOfWrite(service, options.previousUpdatedAt) : options.firstRead,
    monitor: options.monitor ?? Math.max(own, SHORTEST_MONITOR),
    maxFailures: options.maxFailures,
    template: service?.Spec.TaskTemplate,
    overwritten: service !== undefined && options.isWanted?.(service.Spec) === false,
    replicas: service === undefined ? undefined : wantedReplicas(service),
  }
}
