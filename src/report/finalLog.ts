import { healthHeading, logText } from './containerText.ts'
import { isUnwell, remedyFor } from './failureMessage.ts'
import type { Log } from './log.ts'
import type { Outcome, ServiceOutcome, TaskStory, WriteReport } from './outcome.ts'
import { problemText } from './problems.ts'
import { type RestoreLine, restoreLines, restoreTrouble } from './restoreText.ts'
import { type Redaction, scrubAll } from './scrub.ts'
import { counted, countText, durationText } from './serviceText.ts'
import { stackLines } from './stackTable.ts'
import { statusFacts } from './status.ts'
import { cleanLine, cleanLines } from './untrusted.ts'

// What `log-lines` may ask for at most.
const MOST_LOG_LINES = 10_000
// Docker keeps 4 KiB of a check's output.
const MOST_HEALTH_LINES = 50

/** Ends the log: a group for each failed service, the verdict in a sentence, one annotation for each thing to be mended. */
export function logOutcome(log: Log, redactor: Redaction, ended: Outcome): void {
  const outcome = scrubAll(redactor, ended)
  for (const service of outcome.services) {
    if (!isUnwell(service)) continue
    log.group(`Service ${service.name}: ${service.diagnosis?.code ?? service.code ?? service.state}`)
    for (const line of serviceLines(service)) log.info(line)
    log.endGroup()
  }
  log.endGroup()
  for (const line of verdictLines(outcome)) log.info(line)
  annotate(log, outcome)
  log.finish()
}

/** The verdict for the log: a sentence, the services' counts, and for a run that broke off what is applied. */
function verdictLines(outcome: Outcome): readonly string[] {
  const { icon, says, subject = 'The stack' } = statusFacts(outcome)
  const stack = outcome.stackName === undefined ? subject : `The stack ${cleanLine(outcome.stackName, 100)}`
  return [
    `${icon} ${stack} ${says} (${outcome.status}, ${durationText(outcome.durationMs)}, ${counted(outcome.changes.length, 'change')}).`,
    ...(outcome.stacks === undefined ? [] : stackLines(outcome.stacks).map((line) => `  ${line}`)),
    ...outcome.services.map((service) => `  ${serviceLine(service)}`),
    ...(outcome.writes === undefined ? [] : writeLines(outcome.writes)),
    ...(outcome.restored === undefined ? [] : restoreLines(outcome.restored).map(restoreLine)),
  ]
}

/** `web: converged, 2/2` */
function serviceLine(service: ServiceOutcome): string {
  const why = service.state === 'converged' ? '' : `: ${cleanLine(service.reason, 300)}`
  return `${cleanLine(service.name, 100)}: ${service.state}, ${countText(service)}${why}`
}

/** Reason, remedy, tasks with what Swarm said of them, and the tails of their logs. */
function serviceLines(service: ServiceOutcome): readonly string[] {
  const { diagnosis } = service
  return [
    cleanLine(diagnosis?.sentence ?? service.reason, 4000),
    ...(diagnosis === undefined ? [] : [`→ ${cleanLine(diagnosis.remedy, 1000)}`]),
    ...(diagnosis?.tasks ?? []).flatMap(taskLines),
  ]
}

function taskLines(task: TaskStory): readonly string[] {
  const exit = task.exitCode === undefined ? '' : `, exit code ${task.exitCode}`
  const error = task.error === '' ? '' : `: ${cleanLine(task.error, 4000)}`
  const text = logText(task.logs)
  return [
    `${cleanLine(task.name, 200)} on ${cleanLine(task.node, 200)}: ${cleanLine(task.state, 40)} at ${cleanLine(task.at, 40)}${exit}${error}`,
    ...healthLines(task),
    ...(text === '' ? [] : cleanLines(text, MOST_LOG_LINES, 2000).map((line) => `  ${line}`)),
    ...(task.logsNote === undefined ? [] : [`  (${cleanLine(task.logsNote)})`]),
  ]
}

function healthLines({ health, healthNote }: TaskStory): readonly string[] {
  if (health === undefined) return healthNote === undefined ? [] : [`  (${cleanLine(healthNote)})`]
  return [
    `  ${healthHeading(health)}`,
    ...(health.output.trim() === ''
      ? []
      : cleanLines(health.output.trim(), MOST_HEALTH_LINES).map((line) => `  > ${line}`)),
  ]
}

function writeLines(report: WriteReport): readonly string[] {
  const line = (label: string, names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [`${label}: ${names.map((name) => cleanLine(name, 200)).join(', ')}`]
  return [
    ...line('Applied', report.applied),
    ...line('Not applied', report.notApplied),
    ...line('Unknown whether applied', report.unknown),
  ]
}

function restoreLine({ label, names }: RestoreLine): string {
  return `${label}: ${names.map((name) => cleanLine(name, 600)).join(', ')}`
}

function annotate(log: Log, outcome: Outcome): void {
  for (const service of outcome.services) {
    if (!isUnwell(service)) continue
    const message = service.diagnosis?.sentence ?? service.reason
    log.error(problemText({ message, remedy: service.diagnosis?.remedy }), {
      title: `Service ${service.name} ${service.state === 'failed' ? 'failed' : 'did not converge'}`,
      position: service.position,
    })
  }
  annotateFailure(log, outcome)
  const trouble = outcome.restored && restoreTrouble(outcome.restored)
  if (trouble !== undefined) {
    log.error(problemText({ message: trouble, remedy: outcome.restored?.remedy }), { title: 'Rollback failed' })
  }
}

function annotateFailure(log: Log, outcome: Outcome): void {
  const { failure } = outcome
  if (failure === undefined) return
  if (failure.problems.length > 0) {
    for (const problem of failure.problems) log.problem(problem)
    // Problems bring their own advice: the code's general one would only repeat it.
    if (failure.problems.every(({ remedy }) => remedy === undefined)) log.info(`→ ${remedyFor(outcome)}`)
  } else if (!outcome.services.some(isUnwell)) {
    // One failure, one annotation: a service to blame has just had its own.
    const remedy = remedyFor(outcome)
    log.error(problemText({ message: failure.message, remedy }), { title: failure.code, position: failure.position })
  }
}
