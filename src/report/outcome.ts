// What a run has to say at its end: filled in by run.ts, rendered by this room.

import type { Change } from '../backend/change.ts'
import type { StackDifferences } from '../backend/differences.ts'
import type { LogLine } from '../engine/engine.ts'
import type { FailureCode, Position, Problem } from '../errors.ts'
import type { Condition } from '../health/verdict.ts'

export type Status =
  | 'converged'
  | 'unchanged'
  | 'deployed'
  | 'planned'
  | 'removed'
  | 'listed'
  | 'healthy'
  | 'progressing'
  | 'degraded'
  | 'absent'
  | 'refused'
  | 'failed'
  | 'timed-out'
  | 'cancelled'
  | 'rolled-back'
  | 'rollback-failed'

export interface Outcome {
  readonly status: Status
  /** The input `command`, as far as it is known. */
  readonly command?: string | undefined
  readonly stackName?: string | undefined
  /** Milliseconds from the action's start. */
  readonly durationMs: number
  /** Number of the endpoint used and the node's hostname, such as `1 manager-a`. */
  readonly manager?: string | undefined
  readonly engineVersion?: string | undefined
  /** The stack's current release record, and the one before it. */
  readonly revision?: number | undefined
  readonly previousRevision?: number | undefined
  readonly changes: readonly Change[]
  /** Names what this run would do, or did. */
  readonly planId?: string | undefined
  /** The changes field by field, where they were asked for. */
  readonly plan?: StackDifferences | undefined
  /** In the manifest's order. */
  readonly services: readonly ServiceOutcome[]
  readonly failure?: Failure | undefined
  /** Of `command: list`, sorted by name. */
  readonly stacks?: readonly StackOutcome[] | undefined
  readonly warnings: readonly Problem[]
  /** For a cancelled or broken-off run: what is applied, what is not, and what is unknown. */
  readonly writes?: WriteReport | undefined
  /** What was put back after the failure. */
  readonly restored?: RestoreReport | undefined
}

/** What became of the services that a failed deployment had written, by the manifest's keys. */
export interface RestoreReport {
  readonly putBack: readonly string[]
  /** New ones. */
  readonly removed: readonly string[]
  /** On purpose. */
  readonly kept: readonly { readonly name: string; readonly why: string }[]
  readonly notBack: readonly { readonly name: string; readonly why: string }[]
  /** Those whose turn had not come, or of which nothing is known, when the rollback broke off. */
  readonly open: readonly string[]
  /** Why the old state does not run, or was not waited for. */
  readonly trouble?: string | undefined
  readonly remedy?: string | undefined
}

export interface WriteReport {
  readonly applied: readonly string[]
  readonly notApplied: readonly string[]
  readonly unknown: readonly string[]
}

export interface StackOutcome {
  readonly name: string
  /** How many it has. */
  readonly services: number
  /** Such as `gha/octocat/shop`; empty for a stack that no action deployed. */
  readonly owner: string
  /** Of its newest release record, and what that says of the deployment; undefined where it has none. */
  readonly revision?: number | undefined
  readonly release?: string | undefined
  /** As of `command: status`; `absent` for one without services. */
  readonly status: 'healthy' | 'progressing' | 'degraded' | 'absent'
  /** In one line: how many services converged, and what is the matter with the first that has not. */
  readonly health: string
}

export interface ServiceOutcome {
  /** The manifest's key. */
  readonly name: string
  readonly mode: string
  readonly image: string
  readonly running: number
  readonly desired: number
  readonly completed: number
  readonly state: Condition
  readonly code?: FailureCode | undefined
  /** One sentence, Swarm's own words in it. */
  readonly reason: string
  /** From the first write to the verdict. */
  readonly seconds?: number | undefined
  /** The manifest's line to blame. */
  readonly position?: Position | undefined
  readonly diagnosis?: Diagnosis | undefined
}

export interface Diagnosis {
  readonly code: FailureCode
  readonly sentence: string
  /** What usually mends it. */
  readonly remedy: string
  /** Newest first, at most a handful. */
  readonly tasks: readonly TaskStory[]
}

export interface TaskStory {
  readonly id: string
  /** `web.2`, or `agent` for a service with one task a node. */
  readonly name: string
  readonly node: string
  readonly state: string
  /** RFC 3339, manager's clock. */
  readonly at: string
  readonly exitCode?: number | undefined
  /** Swarm's error, whole. */
  readonly error: string
  readonly logs: readonly LogLine[]
  /** Why there are no log lines, where there are none. */
  readonly logsNote?: string | undefined
  /** The last run of its health check, where that may be the reason and could be read. */
  readonly health?: HealthCheckStory | undefined
  /** Why that is missing although it may be the reason. */
  readonly healthNote?: string | undefined
}

export interface HealthCheckStory {
  /** -1 for one that ran out of time or could not be run. */
  readonly exitCode: number
  /** Failures in a row, as far as they counted. */
  readonly failures: number
  /** What the check wrote: untrusted, several lines. */
  readonly output: string
}

export interface Failure {
  readonly code: FailureCode
  /** What was being done, to what, and why it failed. */
  readonly message: string
  readonly remedy?: string | undefined
  /** The manifest's key of the first failed service. */
  readonly service?: string | undefined
  readonly position?: Position | undefined
  /** Where the failure is made of several findings. */
  readonly problems: readonly Problem[]
}
