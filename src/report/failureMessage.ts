import { remedies } from '../health/remedies.ts'
import type { Outcome, ServiceOutcome, TaskStory } from './outcome.ts'
import { placeText } from './problems.ts'
import { bounded, cleanLine, safeLine } from './untrusted.ts'

const LONGEST = 500

/** Why it failed in one printable line of at most 500 characters, with Swarm's own task error and exit code; empty if it did not. */
export function messageLine(outcome: Outcome): string {
  const { failure } = outcome
  if (failure === undefined) return ''
  const message = cleanLine(failure.message, 5000)
  const task = failedService(outcome)?.diagnosis?.tasks[0]
  const [problem] = failure.problems.filter((one) => one.severity === 'error')
  const position = failure.position ?? problem?.position
  const facts = [
    problem === undefined || message.includes(problem.message) ? '' : problem.message,
    ...(task === undefined ? [] : swarmSays(message, task)),
    position === undefined ? '' : placeText(position),
  ].filter((fact) => fact !== '')
  if (facts.length === 0) return abridged(safeLine(message), LONGEST)
  // What Swarm said, and where, stays whole as far as it can; our own sentence gives way.
  const tail = abridged(safeLine(cleanLine(`[${facts.join('; ')}]`, 5000)), LONGEST - 100)
  return `${abridged(safeLine(message), LONGEST - 1 - tail.length)} ${tail}`
}

/** What to do about the failure: the nearer advice before the general one. */
export function remedyFor(outcome: Outcome): string {
  const { failure } = outcome
  return failure?.remedy ?? failedService(outcome)?.diagnosis?.remedy ?? remedies[failure?.code ?? 'internal']
}

/** Whether a service has something to explain: it failed, or was diagnosed when the time was up. */
export function isUnwell(service: ServiceOutcome): boolean {
  return service.state === 'failed' || service.diagnosis !== undefined
}

/** The failure's service, or the first that has something to explain. */
export function failedService(outcome: Outcome): ServiceOutcome | undefined {
  const name = outcome.failure?.service
  return outcome.services.find((one) => (name === undefined ? isUnwell(one) : one.name === name))
}

/** What Swarm said of the task and the message does not say already. */
function swarmSays(message: string, task: TaskStory): readonly string[] {
  const error = cleanLine(task.error, 4000)
  const code = task.exitCode ?? 0
  return [
    message.includes(error) ? '' : error,
    code === 0 || new RegExp(`\\b${code}\\b`).test(`${message} ${error}`) ? '' : `exit code ${code}`,
  ]
}

/** Cut in the middle: docker wraps its errors, so that the reason itself stands at the end. */
function abridged(text: string, most: number): string {
  if (text.length <= most) return text
  const start = Math.floor(most / 2)
  const end = text.slice(text.length - (most - start))
  return bounded(text, start) + (/^[\udc00-\udfff]/.test(end) ? end.slice(1) : end)
}
