import type { WriteJournal } from '../backend/journal.ts'
import { EngineError } from '../engine/engine.ts'
import { DeployError, type FailureCode, messageOf } from '../errors.ts'
import type { Command } from '../inputs.ts'
import type { Failure, Status } from '../report/outcome.ts'
import type { CommandResult, Outage } from './context.ts'
import { wayBack, wayOn } from './wayBack.ts'

interface Ending {
  readonly cancelled: boolean
  readonly late: boolean
  /** What the run was at, after "while". */
  readonly doing?: string | undefined
  readonly command?: Command | undefined
  /** The revision to go back to. */
  readonly wayBack?: number | undefined
  /** Whether a failed deployment was being undone. */
  readonly isRestoring?: boolean | undefined
}

/** What a thrown error means for the run. */
export function brokenOff(
  error: unknown,
  journal: WriteJournal,
  { cancelled, late, doing = 'getting ready', command, wayBack: revision, isRestoring = false }: Ending,
): CommandResult {
  if (cancelled) {
    const listed =
      command === 'remove'
        ? 'The log lists what is removed'
        : isRestoring
          ? 'The log lists what is back and what is not'
          : 'Nothing was rolled back; the log lists what is applied'
    const message = journal.wroteAnything
      ? `The run was cancelled while ${doing}. ${listed}.`
      : `The run was cancelled while ${doing}, before anything was written.`
    return {
      status: 'cancelled',
      failure: {
        code: 'cancelled',
        message,
        remedy: undoing(journal, command, isRestoring ? wayOn(revision) : wayBack(revision)),
        problems: [],
      },
    }
  }
  if (late) {
    const message = journal.wroteAnything
      ? `The time was up while ${doing}; the log lists what is applied.`
      : `The time was up while ${doing}, before anything was written.`
    return {
      status: journal.wroteAnything ? 'timed-out' : 'refused',
      failure: { code: 'timeout', message, problems: [] },
    }
  }
  return { status: journal.wroteAnything ? 'failed' : 'refused', failure: failureOf(error, doing) }
}

/** A run that ended while its manager could not be asked ended because of that. */
export function becauseOf(outage: Outage | undefined, result: CommandResult): CommandResult {
  const { failure } = result
  if (outage === undefined || (failure?.code !== 'timeout' && failure?.code !== 'connection')) return result
  const { code, message, remedy = failure.remedy } = outage
  const rest = failure.message.includes(message) ? '' : ` ${failure.message}`
  return { ...result, failure: { ...failure, code, message: `${message}${rest}`, remedy } }
}

function undoing(journal: WriteJournal, command: Command | undefined, way: string): string | undefined {
  if (command === 'remove') return 'Run the workflow again to remove what is left.'
  if (!journal.wroteAnything) return undefined
  return `${way} Run the workflow again to finish the deployment.`
}

/** Whether a report has to say what was applied and what was not. */
export function isUnfinished(status: Status, journal: WriteJournal): boolean {
  const { notApplied, unknown } = journal.report()
  return status === 'cancelled' || (journal.wroteAnything && notApplied.length + unknown.length > 0)
}

function failureOf(error: unknown, doing: string): Failure {
  if (error instanceof DeployError) {
    const { code, message, remedy, service, position, problems, cause } = error
    return { code, message: withCause(message, cause), remedy, service, position, problems }
  }
  if (error instanceof EngineError) return { code: codeOf(error), message: error.message, problems: [] }
  return { code: 'internal', message: `An unexpected error while ${doing}: ${messageOf(error)}`, problems: [] }
}

function codeOf({ kind }: EngineError): FailureCode {
  switch (kind) {
    case 'connection':
      return 'connection'
    case 'version-conflict':
      return 'conflict'
    default:
      return 'engine'
  }
}

/** The cause's words, unless the message has them already. */
function withCause(message: string, cause: unknown): string {
  const reason = cause === undefined ? '' : messageOf(cause)
  return reason === '' || message.includes(reason) ? message : `${message.replace(/\.$/, '')}: ${reason}`
}
