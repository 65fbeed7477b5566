import { failedService } from './failureMessage.ts'
import type { Outcome, Status } from './outcome.ts'
import { counted, durationText } from './serviceText.ts'
import { bounded, cleanLine } from './untrusted.ts'

/** GitHub takes no longer description of a commit status or of a deployment's. */
const LONGEST = 140

/** And no longer name of a status. */
const LONGEST_CONTEXT = 255

/**
 * The name of a stack's commit status: one for each stack and environment, so that several in one workflow do not overwrite each
 * other, and a plan does not stand for a deployment.
 */
export function statusContext(stack: string, environment: string | undefined, isPlan: boolean): string {
  const end = isPlan ? `${stack} (plan)` : stack
  if (environment === undefined) return bounded(`swarm/${end}`, LONGEST_CONTEXT)
  // What tells one stack from the other stays whole.
  return bounded(
    `swarm/${bounded(environment, Math.max(1, LONGEST_CONTEXT - `swarm//${end}`.length))}/${end}`,
    LONGEST_CONTEXT,
  )
}

/** What a run is at, as it stands after "while": `connecting to the manager`. */
export function pendingDescription(doing: string): string {
  const line = cleanLine(doing, LONGEST)
  return line.slice(0, 1).toUpperCase() + line.slice(1)
}

/** Nobody could do better where the run itself broke off; what else is red is a failure of what was deployed. */
export function endState(outcome: Pick<Outcome, 'status' | 'failure'>): 'success' | 'failure' | 'error' {
  const errors: readonly Status[] = ['cancelled', 'rollback-failed']
  if (errors.includes(outcome.status) || outcome.failure?.code === 'internal') return 'error'
  return outcome.failure === undefined ? 'success' : 'failure'
}

/** One line for a list of checks: `3 services, 2 changes, 42 s`, or what failed and why. */
export function endDescription(outcome: Outcome): string {
  const { failure, status } = outcome
  if (failure !== undefined) {
    const service = failedService(outcome)?.name ?? failure.service
    const about = service === undefined || failure.message.includes(service) ? '' : `${service}: `
    return cleanLine(`${status}: ${about}${failure.message}`, LONGEST)
  }
  const services = outcome.services.length === 0 ? [] : [counted(outcome.services.length, 'service')]
  return cleanLine(
    [status, ...services, counted(outcome.changes.length, 'change'), durationText(outcome.durationMs)].join(', '),
    LONGEST,
  )
}
