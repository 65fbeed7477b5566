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

/** So far back (ms) a failure says something about how a service stands now. */
const RECENT = 30 * 60_000

/**
 * What to expect of a service that nobody deploys: that what its live spec says holds. A rollback and the failures of the last half hour
 * count, whoever caused them.
 * @param service undefined where it is not there though it should be
 */
export function standingExpectation(
  service: Service | undefined,
  options: {
    readonly key: string
    readonly name: string
    /** Milliseconds since the epoch by the manager's clock. */
    readonly now: number
    readonly monitor: number | undefined
    readonly maxFailures: number
  },
): Expectation {
  const { key, name, now, monitor, maxFailures } = options
  return {
    key,
    name,
    id: service?.ID,
    written: true,
    since: now - RECENT,
    monitor: monitor ?? ownMonitor(service),
    maxFailures,
  }
}

/** What to expect of a service, from the first read after the writes. */
export function expectationOf(
  service: Service | undefined,
  options: {
    /** The manifest's key. */
    readonly key: string
    /** The swarm's name. */
    readonly name: string
    /** As the write answered it; without one, that of the first read counts. */
    readonly id?: string | undefined
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
  return {
    key: options.key,
    name: options.name,
    id: options.id ?? service?.ID,
    written: options.written,
    since:
      service !== undefined && options.written ? sinceOfWrite(service, options.previousUpdatedAt) : options.firstRead,
    monitor: options.monitor ?? ownMonitor(service),
    maxFailures: options.maxFailures,
    template: service?.Spec.TaskTemplate,
    isWanted: options.isWanted,
    replicas: service === undefined ? undefined : wantedReplicas(service),
  }
}

function ownMonitor(service: Service | undefined): number {
  return Math.max(Number(service?.Spec.UpdateConfig?.Monitor ?? 0) / 1e6, SHORTEST_MONITOR)
}
