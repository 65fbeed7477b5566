import type { Change } from '../backend/change.ts'
import type { StackDifferences } from '../backend/differences.ts'
import type { WriteJournal } from '../backend/journal.ts'
import type { Problem } from '../errors.ts'
import type { Command, Inputs } from '../inputs.ts'
import type { Log } from '../report/log.ts'
import type { NamedSecrets } from '../report/masking.ts'
import type { Failure, RestoreReport, ServiceOutcome, StackOutcome, Status } from '../report/outcome.ts'
import type { Deadline } from './deadline.ts'

/** What every command is given: the inputs, where to speak, and when to stop. */
export interface CommandContext {
  readonly inputs: Inputs
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the checkout. */
  readonly workspace: string
  /** The folder of the secrets that Swarm mounts where the action runs: no manifest may use one of them. */
  readonly mountedSecrets: string
  readonly log: Log
  /** Hides values in everything that is said from now on, and says which are too short for that. */
  readonly mask: (secrets: NamedSecrets) => void
  /** A text without anything that is masked. */
  readonly redact: (text: string) => string
  /** Says a warning and counts it. */
  readonly warn: (problem: Problem) => void
  readonly journal: WriteJournal
  readonly deadline: Deadline
  /** Aborted when the run was cancelled. */
  readonly cancelled: AbortSignal
  readonly progress: Progress
}

/** What is wrong with the way to the swarm: as long as it is, no other reason is as good why a run comes to nothing. */
export type Outage = Pick<Problem, 'code' | 'message' | 'remedy'>

/** What is known so far: filled in as a run goes along, so that one which breaks off can still be reported. */
export interface Progress {
  /** As the input says. */
  command?: Command | undefined
  /** What the run is at, after "while": `connecting to the manager`. */
  doing?: string | undefined
  stackName?: string | undefined
  manager?: string | undefined
  engineVersion?: string | undefined
  /** Set while the manager can't be asked. */
  outage?: Outage | undefined
  /** The stack's current release record, and the one before it. */
  revision?: number | undefined
  previousRevision?: number | undefined
  changes: readonly Change[]
  planId?: string | undefined
  plan?: StackDifferences | undefined
  services: readonly ServiceOutcome[]
  /** Of `command: list`. */
  stacks?: readonly StackOutcome[] | undefined
  /** The newest release record that went well before this run, if its files are in it. */
  wayBack?: number | undefined
  /** Once a failed deployment is being undone. */
  restored?: RestoreReport | undefined
}

/** How a command ended that did not throw. */
export interface CommandResult {
  readonly status: Status
  readonly failure?: Failure | undefined
}
