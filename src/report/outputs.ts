import { failedService, messageLine } from './failureMessage.ts'
import type { Outcome, StackOutcome } from './outcome.ts'
import { writesNothing } from './status.ts'
import { cleanLine, safeLine } from './untrusted.ts'

/** In the order of action.yml. */
export const OUTPUT_NAMES = [
  'status',
  'stack-name',
  'changed',
  'duration-ms',
  'engine-version',
  'warnings',
  'manager',
  'changes',
  'services',
  'revision',
  'previous-revision',
  'plan-id',
  'stacks',
  'failed-service',
  'failure-reason',
  'failure-message',
] as const

export type OutputName = (typeof OUTPUT_NAMES)[number]

// The job's outputs together may have 1 MB.
const LONGEST_JSON = 256 * 1024

/** The outputs that apply; what is known of none, such as a failure's message after a success, is empty rather than missing. */
export function outputsOf(outcome: Outcome): ReadonlyMap<OutputName, string> {
  const { failure } = outcome
  const outputs = new Map<OutputName, string>([
    ['status', outcome.status],
    ['stack-name', line(outcome.stackName)],
    ['changed', String(hasChanged(outcome))],
    ['duration-ms', String(Math.round(outcome.durationMs))],
    ['engine-version', line(outcome.engineVersion)],
    ['warnings', String(outcome.warnings.length)],
    ['manager', line(outcome.manager)],
    ['changes', jsonList(outcome.changes.map((change) => changeEntry(change, outcome.plan)))],
    ['services', jsonList(outcome.services.map(serviceEntry))],
    ['revision', String(outcome.revision ?? '')],
    ['previous-revision', String(outcome.previousRevision ?? '')],
    ['plan-id', line(outcome.planId)],
    ...(outcome.stacks === undefined ? [] : ([['stacks', jsonList(outcome.stacks.map(stackEntry))]] as const)),
    ['failed-service', failure === undefined ? '' : line(failedService(outcome)?.name ?? failure.service)],
    ['failure-reason', failure?.code ?? ''],
    ['failure-message', messageLine(outcome)],
  ])
  return outputs
}

function changeEntry(change: Outcome['changes'][number], plan: Outcome['plan']) {
  const known = plan?.objects.find(({ kind, name }) => kind === change.kind && name === change.name)
  return {
    kind: change.kind,
    name: line(change.name),
    action: change.action,
    fields: change.fields.slice(0, 100).map((field) => line(field)),
    ...(known !== undefined && {
      ...(known.restarts !== undefined && { restarts: known.restarts }),
      differences: known.fields.map(({ field, old, new: now, note }) => ({
        field: line(field),
        old: line(old, 500),
        new: line(now, 500),
        ...(note !== undefined && { note: line(note) }),
      })),
    }),
  }
}

function serviceEntry(service: Outcome['services'][number]) {
  return {
    name: line(service.name),
    mode: line(service.mode),
    image: line(service.image, 1000),
    running: service.running,
    desired: service.desired,
    completed: service.completed,
    state: service.state,
    reason: line(service.reason, 2000),
  }
}

function stackEntry({ name, services, owner, revision, release, status, health }: StackOutcome) {
  return {
    name: line(name),
    services,
    owner: line(owner),
    revision: revision ?? null,
    release: line(release),
    status,
    health: line(health, 500),
  }
}

/** Something was written, or it is not known that nothing was. */
function hasChanged({ status, writes, changes }: Outcome): boolean {
  if (writes !== undefined) return writes.applied.length + writes.unknown.length > 0
  return changes.length > 0 && !writesNothing(status)
}

/** Outputs are echoed by later steps, so they must not command the runner there. */
function line(text: string | undefined, most = 300): string {
  return text === undefined ? '' : safeLine(cleanLine(text, most))
}

/** Valid JSON below `most` bytes: what does not fit is counted in a last element. */
function jsonList(items: readonly unknown[], most = LONGEST_JSON): string {
  const room = most - Buffer.byteLength(`[,${JSON.stringify({ truncated: items.length })}]`)
  const texts: string[] = []
  let bytes = 0
  for (const item of items) {
    const text = JSON.stringify(item)
    bytes += Buffer.byteLength(text) + 1
    if (bytes > room) {
      return `[${[...texts, JSON.stringify({ truncated: items.length - texts.length })].join(',')}]`
    }
    texts.push(text)
  }
  return `[${texts.join(',')}]`
}
