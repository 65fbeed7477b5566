import type { Application, PlannedStack } from '../backend/applyPlan.ts'
import { WriteJournal } from '../backend/journal.ts'
import type { TouchedService } from '../backend/restoreService.ts'
import type { Restoration } from '../backend/restoreServices.ts'
import type { StackSpec } from '../convert/stackSpec.ts'
import { messageOf } from '../errors.ts'
import { remedies } from '../health/remedies.ts'
import { isUnwell } from '../report/failureMessage.ts'
import type { Failure, RestoreReport, ServiceOutcome, Status } from '../report/outcome.ts'
import { restoreTrouble } from '../report/restoreText.ts'
import { shortList } from '../shortList.ts'
import { backendOf } from './backendOf.ts'
import type { Connection } from './connection.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { converge } from './converge.ts'
import { createDeadline } from './deadline.ts'
import { brokenOff } from './ending.ts'
import { createProgress } from './progress.ts'

/** So many services are named, the others counted. */
const NAMED = 5

const UNDONE: readonly Status[] = ['failed', 'timed-out']

/**
 * Makes an attempt at a deployment, and where that fails and `on-failure: rollback` is set, puts back the services that it has written and
 * waits until they run again, for as long as `timeout` says anew. The failure stays that of the deployment. A cancelled attempt is left as
 * it is.
 * @param begun the application as soon as the attempt has one
 */
export async function orPutBack(
  context: CommandContext,
  connection: Connection,
  spec: StackSpec,
  { observation }: PlannedStack,
  begun: () => Application | undefined,
  attempt: () => Promise<CommandResult>,
): Promise<CommandResult> {
  if (context.inputs.onFailure === 'none') return attempt()
  const result = await endOf(context, attempt)
  const touched = begun()?.touched() ?? []
  const { failure } = result
  if (failure === undefined || touched.length === 0 || !UNDONE.includes(result.status)) return result

  const { inputs, log, progress, cancelled } = context
  log.group('Put back what was there before')
  log.info(`The deployment failed: ${failure.message}`)
  progress.doing = 'putting back what was there before'
  let restored = reportOf(touched, [])
  progress.restored = restored
  const deadline = createDeadline(inputs.timeout)
  const signal = AbortSignal.any([cancelled, deadline.signal])
  connection.prolong(deadline.signal)
  try {
    // The journal stays that of the deployment.
    const backend = await backendOf({ ...context, journal: new WriteJournal() }, connection, { signal })
    const firstRead = connection.now()
    const done: Restoration[] = []
    await backend.restoreServices(touched, observation, (restoration) => {
      done.push(restoration)
      restored = reportOf(touched, done)
      progress.restored = restored
      const line = lineOf(restoration)
      if (line !== undefined) log.info(line)
    })
    if (isEmpty(restored)) return result
    restored = { ...restored, ...(await troubleOf({ ...context, deadline }, connection, spec, done, firstRead)) }
  } catch (error) {
    if (cancelled.aborted) throw error
    const why = deadline.passed ? `the time was up while ${progress.doing}` : messageOf(error)
    restored = { ...restored, trouble: why }
  } finally {
    deadline.clear()
  }
  progress.restored = restored
  const isBack = restored.notBack.length === 0 && restored.trouble === undefined
  progress.services = progress.services
    .filter((service) => isUnwell(service) || !restored.removed.includes(service.name))
    .map((service) => asRestored(service, restored))
  return { status: isBack ? 'rolled-back' : 'rollback-failed', failure: withRestored(failure, restored) }
}

// --- Internal helpers ---

/** How the attempt ended; also one that broke off, if it wrote anything. */
async function endOf(
  { cancelled, deadline, journal, progress }: CommandContext,
  attempt: () => Promise<CommandResult>,
): Promise<CommandResult> {
  try {
    return await attempt()
  } catch (error) {
    if (cancelled.aborted || !journal.wroteAnything) throw error
    progress.changes = journal.written()
    const { doing, command } = progress
    return brokenOff(error, journal, { cancelled: false, late: deadline.passed, doing, command })
  }
}

/** Watches what was put back; answers why it does not run, where it does not. */
async function troubleOf(
  context: CommandContext,
  connection: Connection,
  spec: StackSpec,
  done: readonly Restoration[],
  firstRead: number,
): Promise<Pick<RestoreReport, 'trouble' | 'remedy'>> {
  const services = done.flatMap(({ service: { key, name }, restored }) => {
    if (restored.kind !== 'put-back') return []
    const { id, previousUpdatedAt, isWanted } = restored
    const written = previousUpdatedAt !== undefined
    return [{ key, name, id, written, sentAt: written ? firstRead : undefined, previousUpdatedAt, isWanted }]
  })
  if (services.length === 0) return {}
  const { progress } = context
  const names = new Set(services.map(({ name }) => name))
  const part = { ...spec, services: spec.services.filter(({ name }) => names.has(name)) }
  // What the run reports of services is how the deployment failed.
  const ownProgress = createProgress((_stack, doing) => {
    progress.doing = `putting back what was there before: ${doing}`
  })
  const deployment = { changes: [], services, objects: [] }
  const { failure } = await converge({ ...context, progress: ownProgress }, connection, part, deployment, firstRead)
  return failure === undefined
    ? {}
    : { trouble: `what was put back does not run: ${failure.message}`, remedy: failure.remedy }
}

function reportOf(touched: readonly TouchedService[], done: readonly Restoration[]): RestoreReport {
  const of = (...kinds: readonly Restoration['restored']['kind'][]): readonly Restoration[] =>
    done.filter(({ restored }) => kinds.includes(restored.kind))
  const keys = (restorations: readonly Restoration[]): readonly string[] =>
    restorations.map(({ service: { key } }) => key).sort()
  const reasons = (restorations: readonly Restoration[]): RestoreReport['kept'] =>
    restorations.flatMap(({ service: { key }, restored }) =>
      'why' in restored ? [{ name: key, why: restored.why }] : [],
    )
  const told = new Set(done.map(({ service: { key } }) => key))
  return {
    putBack: keys(of('put-back')),
    removed: keys(of('removed')),
    kept: reasons(of('kept')),
    notBack: reasons(of('lost', 'refused')),
    open: touched.map(({ key }) => key).filter((key) => !told.has(key)),
  }
}

/** Nothing was to be put back, or to be removed. */
function isEmpty({ putBack, removed, notBack }: RestoreReport): boolean {
  return putBack.length + removed.length + notBack.length === 0
}

function lineOf({ service: { key }, restored }: Restoration): string | undefined {
  switch (restored.kind) {
    case 'put-back':
      return restored.previousUpdatedAt === undefined ? `${key}: Swarm itself has put it back` : undefined
    case 'kept':
      return `${key} stays as deployed: ${restored.why}`
    case 'lost':
    case 'refused':
      return `${key} is not put back: ${restored.why}`
    default:
      return undefined
  }
}

/** How it failed; what is gone runs no more. For what is back, a rollback by hand would be the way to what has failed. */
function asRestored(service: ServiceOutcome, { putBack, removed }: RestoreReport): ServiceOutcome {
  const { diagnosis, reason } = service
  if (removed.includes(service.name)) {
    return { ...service, running: 0, completed: 0, reason: `${reason}; removed again, since it is new` }
  }
  if (diagnosis === undefined || !putBack.includes(service.name)) return service
  return { ...service, diagnosis: { ...diagnosis, remedy: mending(diagnosis.remedy) } }
}

function mending(remedy: string): string {
  return remedy.replace(remedies.paused, 'What was deployed before is back: mend this, and deploy again.')
}

/** The deployment's failure first, and then what was done about it. */
function withRestored(failure: Failure, restored: RestoreReport): Failure {
  const { putBack, removed } = restored
  const done = [
    ...(putBack.length === 0 ? [] : [`put back as before: ${shortList(putBack, NAMED)}`]),
    ...(removed.length === 0 ? [] : [`removed again: ${shortList(removed, NAMED)}`]),
  ]
  const trouble = restoreTrouble(restored)
  const said = [failure.message.replace(/\.$/, ''), ...done, ...(trouble === undefined ? [] : [trouble])]
  const isBack = failure.service !== undefined && putBack.includes(failure.service)
  const remedy = isBack && failure.remedy !== undefined ? mending(failure.remedy) : failure.remedy
  return { ...failure, message: said.join('; '), remedy }
}
