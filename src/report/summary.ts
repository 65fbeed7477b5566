import { shortList } from '../shortList.ts'
import { healthHeading, logText } from './containerText.ts'
import { isUnwell, remedyFor } from './failureMessage.ts'
import { codeBlock, codeSpan, details, documentOf, markdownText, shortImage, table } from './markdown.ts'
import type { Failure, Outcome, RestoreReport, ServiceOutcome, TaskStory, WriteReport } from './outcome.ts'
import { planBlocks } from './planText.ts'
import { placeText, problemText } from './problems.ts'
import { restoreLines, restoreTrouble } from './restoreText.ts'
import { counted, countText, durationText } from './serviceText.ts'
import { stackTable } from './stackTable.ts'
import { statusFacts } from './status.ts'

// A step's summary may have 1 MiB; a bigger one is dropped whole.
const LONGEST = 1_000_000
const MOST_ROWS = 300
const MOST_FINDINGS = 50

/**
 * The job summary in Markdown: what became of it at a glance, then services, changes, failures, warnings.
 * @param most bytes that it may have
 */
export function summaryOf(outcome: Outcome, most = LONGEST): string {
  return documentOf(blocksOf(outcome), most)
}

// One after the other: what no longer fits is not even rendered.
function* blocksOf(outcome: Outcome): Generator<string> {
  yield headline(outcome)
  if (outcome.failure !== undefined) yield* failure(outcome.failure, remedyFor(outcome))
  if (outcome.writes !== undefined) yield* writes(outcome.writes)
  if (outcome.restored !== undefined) yield* restored(outcome.restored)
  if (outcome.stacks !== undefined) yield* stackTable(outcome.stacks)
  yield* services(outcome.services)
  for (const service of outcome.services) if (isUnwell(service)) yield* unwellService(service)
  if (outcome.plan === undefined) yield* changes(outcome)
  else yield* planBlocks(outcome.plan, outcome.planId)
  yield* warnings(outcome)
}

function headline(outcome: Outcome): string {
  const { icon, says, subject = 'The stack' } = statusFacts(outcome)
  const stack = outcome.stackName === undefined ? subject : `Stack ${codeSpan(outcome.stackName)}`
  const facts = [
    outcome.stacks === undefined ? '' : counted(outcome.stacks.length, 'stack'),
    outcome.services.length > 0 ? counted(outcome.services.length, 'service') : '',
    outcome.status === 'refused' ? '' : counted(outcome.changes.length, 'change'),
    outcome.warnings.length > 0 ? counted(outcome.warnings.length, 'warning') : '',
    durationText(outcome.durationMs),
    outcome.manager === undefined ? '' : `manager ${codeSpan(outcome.manager)}`,
    outcome.engineVersion === undefined ? '' : `Docker ${codeSpan(outcome.engineVersion)}`,
  ]
  return `## ${icon} ${stack} ${says}\n\n${facts.filter((fact) => fact !== '').join(' · ')}`
}

function failure(found: Failure, remedy: string): readonly string[] {
  const place = found.position === undefined ? '' : ` at ${codeSpan(placeText(found.position))}`
  const problems = found.problems.slice(0, MOST_FINDINGS).map((problem) => codeBlock(problemText(problem), 20, 400))
  const more = found.problems.length - problems.length
  return [
    `**${codeSpan(found.code)}**${place}: ${markdownText(found.message, 2000)}`,
    ...problems,
    ...(more > 0 ? [`… and ${more} more`] : []),
    `**What to do:** ${markdownText(remedy, 1000)}`,
  ]
}

function writes(report: WriteReport): readonly string[] {
  const line = (label: string, names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [`- ${label}: ${listed(names)}`]
  const lines = [
    ...line('Applied', report.applied),
    ...line('Not applied', report.notApplied),
    ...line('Unknown whether applied', report.unknown),
  ]
  return lines.length === 0 ? [] : [lines.join('\n')]
}

function restored(report: RestoreReport): readonly string[] {
  const lines = restoreLines(report).map(({ label, names }) => `- ${label}: ${markdownText(names.join(', '), 4000)}`)
  const trouble = restoreTrouble(report)
  const advice = report.remedy === undefined ? '' : `\n\n**What to do:** ${markdownText(report.remedy, 1000)}`
  return [
    ...(lines.length === 0 ? [] : [`### Put back\n\n${lines.join('\n')}`]),
    ...(trouble === undefined ? [] : [`${markdownText(trouble, 2000)}${advice}`]),
  ]
}

function services(all: readonly ServiceOutcome[]): readonly string[] {
  if (all.length === 0) return []
  const states = { converged: '✅ converged', progressing: '⏳ progressing', failed: '❌ failed' }
  const rows = all
    .slice(0, MOST_ROWS)
    .map((service) => [
      codeSpan(service.name),
      markdownText(service.mode, 40),
      codeSpan(shortImage(service.image)),
      countText(service),
      `${states[service.state]}${service.code === undefined ? '' : `: ${service.code}`}`,
      service.seconds === undefined ? '' : durationText(service.seconds * 1000),
    ])
  const more = all.length - rows.length
  return [
    table(['Service', 'Mode', 'Image', 'Running', 'State', 'Time'], rows),
    ...(more > 0 ? [`… and ${counted(more, 'more service')}`] : []),
  ]
}

function* unwellService(service: ServiceOutcome): Generator<string> {
  const { diagnosis } = service
  const place = service.position === undefined ? '' : ` at ${codeSpan(placeText(service.position))}`
  const code = diagnosis?.code ?? service.code
  const what = service.state === 'failed' ? 'failed' : 'did not converge'
  yield `### ${codeSpan(service.name)} ${what}${code === undefined ? '' : `: ${code}`}${place}`
  yield markdownText(diagnosis?.sentence ?? service.reason, 4000)
  if (diagnosis === undefined) return
  yield `**What to do:** ${markdownText(diagnosis.remedy, 1000)}`
  const tasks = diagnosis.tasks.slice(0, 10)
  if (tasks.length > 0) yield details('Task history', '', history(tasks))
  for (const task of tasks) {
    yield* lastHealth(task)
    yield* logTail(task)
  }
}

function history(tasks: readonly TaskStory[]): string {
  const rows = tasks.map((task) => [
    codeSpan(task.name),
    codeSpan(task.node),
    markdownText(task.state, 40),
    codeSpan(task.at, 40),
    task.exitCode === undefined ? '' : `${task.exitCode}`,
    codeSpan(task.error, 1000),
  ])
  return table(['Task', 'Node', 'State', 'At', 'Exit code', 'Error'], rows)
}

function lastHealth({ name, node, health, healthNote }: TaskStory): readonly string[] {
  if (health === undefined) return healthNote === undefined ? [] : [`${codeSpan(name)}: ${markdownText(healthNote)}`]
  const heading = `${codeSpan(`${name} on ${node}`)}: ${markdownText(healthHeading(health))}`
  return [health.output.trim() === '' ? heading : `${heading}\n\n${codeBlock(health.output.trim(), 50)}`]
}

function logTail(task: TaskStory): readonly string[] {
  if (task.logs.length > 0) {
    return [details('Last log lines of', `${task.name} on ${task.node}`, codeBlock(logText(task.logs), 200))]
  }
  return task.logsNote === undefined ? [] : [`${codeSpan(task.name)}: ${markdownText(task.logsNote)}`]
}

function changes(outcome: Outcome): readonly string[] {
  if (outcome.changes.length === 0) return []
  const rows = outcome.changes.slice(0, MOST_ROWS).map((change) => {
    const fields = change.fields.length === 0 ? '' : `: ${listed(change.fields.slice(0, 30))}`
    return `- ${change.action} ${change.kind} ${codeSpan(change.name)}${fields}`
  })
  const more = outcome.changes.length - rows.length
  return ['### Changes', [...rows, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n')]
}

function warnings(outcome: Outcome): readonly string[] {
  if (outcome.warnings.length === 0) return []
  const rows = outcome.warnings.slice(0, MOST_FINDINGS).map((warning) => {
    const place = warning.position === undefined ? '' : `${codeSpan(placeText(warning.position))}: `
    const remedy = warning.remedy === undefined ? '' : ` → ${markdownText(warning.remedy)}`
    return `- ${place}${markdownText(warning.message, 1000)}${remedy}`
  })
  const more = outcome.warnings.length - rows.length
  return ['### Warnings', [...rows, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n')]
}

function listed(names: readonly string[]): string {
  return shortList(
    names.map((name) => codeSpan(name)),
    MOST_ROWS,
  )
}
