import type { FailureCode } from '../errors.ts'
import type { Node } from '../swarm/node.ts'
import type { Service, ServiceSpec, TaskSpec } from '../swarm/service.ts'
import type { Task } from '../swarm/task.ts'

/** One look at the swarm: everything a verdict may depend on. */
export interface Snapshot {
  /** Milliseconds since the epoch by the manager's clock. */
  readonly now: number
  readonly services: readonly Service[]
  /** Every task of the stack's services that Swarm still remembers, old generations too. */
  readonly tasks: readonly Task[]
  /** Ids of those whose spec is their service's current one; undefined where the engine could not tell. */
  readonly upToDate?: ReadonlySet<string> | undefined
  readonly nodes: readonly Node[]
  /** What earlier looks showed of each task, by its id; undefined where there was none. */
  readonly sightings?: ReadonlyMap<string, Sighting> | undefined
}

/** When a watch saw a task come to its present state: instants by the clock of `now`, in ms. What time stamps say may be by another. */
export interface Sighting {
  /** The last look before that did not show it so; minus infinity where all did. */
  readonly after: number
  /** The first look that showed it so. */
  readonly seen: number
  /** The look after that; infinity while there is none. */
  readonly before: number
}

/** What to expect of one service, fixed before the watching begins. */
export interface Expectation {
  /** The manifest's key. */
  readonly key: string
  /** The swarm's name. */
  readonly name: string
  /** The id the service had right after the writes; undefined where it is not there. */
  readonly id: string | undefined
  /** Whether this run wrote it. */
  readonly written: boolean
  /**
   * Tasks created at or after this instant (ms, manager's clock) are this run's: the service's `UpdatedAt` right after our own
   * write, or the run's first read for a service left alone.
   */
  readonly since: number
  /** How long (ms) all wanted tasks must have been running. */
  readonly monitor: number
  /** Failed tasks in one slot or on one node before giving up; 0 never gives up what Swarm still tries. */
  readonly maxFailures: number
  /** What its tasks were to be made from, right after the writes: a different one later means that someone else changed it. */
  readonly template?: TaskSpec | undefined
  /** Whether a live spec means what this run wants, asked at each look; undefined where any does. */
  readonly isWanted?: ((live: ServiceSpec) => boolean) | undefined
  /** The replicas wanted right after the writes; undefined for modes that want one task a node. */
  readonly replicas?: number | undefined
}

export type Condition = 'converged' | 'progressing' | 'failed'

export interface Verdict {
  readonly key: string
  readonly name: string
  readonly condition: Condition
  /** Set when failed; when progressing, what a time-out would be called if it is more than `timeout`. */
  readonly code?: FailureCode | undefined
  /** Why its tasks failed, where `code` says what Swarm did about it (`paused`, `rolled-back`). */
  readonly cause?: FailureCode | undefined
  /** What to do, where there is better advice than the code's general one. */
  readonly remedy?: string | undefined
  /** One sentence for a person: what is so, or what is still missing, with Swarm's own words where it has some. */
  readonly sentence: string
  /** The sentence without durations: while it stays the same there is nothing new to say. */
  readonly stage?: string | undefined
  readonly mode: 'replicated' | 'global' | 'replicated job' | 'global job'
  /** The image of the live spec, digest included. */
  readonly image: string
  readonly running: number
  readonly desired: number
  readonly completed: number
  /** When the monitor window ends (ms, manager's clock) if nothing changes; only while it runs. */
  readonly settlesAt?: number | undefined
  /** This run's failed tasks, oldest first. */
  readonly failures: readonly Task[]
  /** Worth a warning although it is no failure, e.g. a global service that no node matches. */
  readonly warning?: string | undefined
}
