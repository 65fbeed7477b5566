import type { Application, DeployedService, Deployment, PlannedStack } from '../backend/applyPlan.ts'
import { type Turn, turnsOf } from '../backend/turns.ts'
import type { StackSpec } from '../convert/stackSpec.ts'
import { serviceStates } from '../health/serviceState.ts'
import type { ServiceOutcome } from '../report/outcome.ts'
import { shortList } from '../shortList.ts'
import type { Connection } from './connection.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { converge } from './converge.ts'
import { inManifestOrder } from './manifest.ts'

/**
 * Writes the services of a plan turn by turn, and watches them until the stack has converged or the reason why it does not is known.
 * Between turns it waits whatever `wait` says: an order without that is none. What does not converge ends it, and the rest is not
 * written. `timeout` bounds all turns together.
 * @param firstRead when this run began to look at the swarm (ms, manager's clock)
 * @param store keeps the release record where a verdict will follow: called once, after the first turn, so that a run which ends at a
 *   later one has its record
 */
export async function rollOut(
  context: CommandContext,
  connection: Connection,
  spec: StackSpec,
  planned: PlannedStack,
  application: Application,
  { firstRead, store }: { readonly firstRead: number; readonly store: () => Promise<void> },
): Promise<CommandResult> {
  const { inputs, log, progress } = context
  const turns = turnsOf(spec, planned.plan.services)
  const services: DeployedService[] = []
  const wait = createWait(context, connection, firstRead)
  for (const [index, { steps, awaits }] of turns.entries()) {
    if (awaits.size > 0) {
      const rest = turns.slice(index)
      const awaited = { ...spec, services: spec.services.filter(({ key }) => awaits.has(key)) }
      const done = deploymentOf(planned, application, services, rest)
      const names = steps.map(({ key }) => key).join(', ')
      log.info(`Before ${names}: ${[...awaits].sort().join(', ')} must have converged`)
      let result: CommandResult | undefined
      try {
        result = await wait(awaited, done)
      } finally {
        if (!isGood(result)) tellOfOthers(context, spec, planned, rest, firstRead)
      }
      if (!isGood(result)) return stopped(result, rest)
      log.group(`Deploy stack ${spec.namespace}, turn ${index + 1} of ${turns.length}`)
      progress.doing = `writing ${names}`
    }
    services.push(...(await application.services(steps)))
    progress.changes = deploymentOf(planned, application, services, turns.slice(index + 1)).changes
    if (index === 0 && (inputs.wait || turns.length > 1)) await store()
  }
  const deployment = deploymentOf(planned, application, services, [])
  if (inputs.wait) return wait(spec, deployment)
  if (deployment.changes.length > 0) return { status: 'deployed' }
  log.info('Nothing was to be written. Whether the services run was not looked at, since `wait` is `false`.')
  return { status: 'unchanged' }
}

// --- Internal helpers ---

/** Waits several times, and says of a service only once what it is warned of, and how long it took: the first time. */
function createWait(context: CommandContext, connection: Connection, firstRead: number) {
  const { progress } = context
  const warned = new Set<string>()
  const took = new Map<string, number>()
  const once: CommandContext = {
    ...context,
    warn: (problem) => {
      if (!warned.has(problem.message)) context.warn(problem)
      warned.add(problem.message)
    },
  }
  return async (spec: StackSpec, deployment: Deployment): Promise<CommandResult> => {
    try {
      return await converge(once, connection, spec, deployment, firstRead)
    } finally {
      progress.services = progress.services.map((service) => ({
        ...service,
        seconds: took.get(service.name) ?? service.seconds,
      }))
      for (const { name, seconds } of progress.services) if (seconds !== undefined) took.set(name, seconds)
    }
  }
}

/** What is done while `rest` is yet to come. */
function deploymentOf(
  { plan }: PlannedStack,
  application: Application,
  services: readonly DeployedService[],
  rest: readonly Turn[],
): Deployment {
  const open = new Set(rest.flatMap(({ steps }) => steps.map(({ name }) => name)))
  const changes = application.changes().filter(({ kind, name }) => kind !== 'service' || !open.has(name))
  return { changes, services, objects: plan.objects }
}

function isGood(result: CommandResult | undefined): boolean {
  return result?.status === 'converged' || result?.status === 'unchanged'
}

function stopped(result: CommandResult, rest: readonly Turn[]): CommandResult {
  const { failure } = result
  if (failure === undefined) return result
  const names = rest.flatMap(({ steps }) => steps.map(({ key }) => key))
  const message = `${failure.message}; not written therefore: ${shortList(names, 10)}`
  return { ...result, failure: { ...failure, message } }
}

/** Adds the services that were not waited for to what is known, as they stood when the run began. */
function tellOfOthers(
  context: CommandContext,
  spec: StackSpec,
  { observation }: PlannedStack,
  rest: readonly Turn[],
  firstRead: number,
): void {
  const { progress } = context
  const { services, tasks, nodes } = observation
  const states = serviceStates({ now: firstRead, services: [...services.values()], tasks, nodes }, spec.namespace)
  const told = new Map(progress.services.map((service) => [service.name, service]))
  const open = new Set(rest.flatMap(({ steps }) => steps.map(({ key }) => key)))
  const late = progress.services.filter(({ state }) => state !== 'converged').map(({ name }) => name)
  const because = late.length === 0 ? 'the run ended before its turn' : `${late.join(', ')} had not converged`
  progress.services = [...spec.services]
    .sort(inManifestOrder(context))
    .map(({ key, name, position }): ServiceOutcome => {
      const known = told.get(key)
      if (known !== undefined) return known
      const {
        mode = 'replicated',
        image = '',
        running = 0,
        desired = 0,
        completed = 0,
      } = states.find((state) => state.name === name) ?? {}
      const reason = open.has(key) ? `not written: ${because}` : 'not judged: the run ended before'
      return { name: key, mode, image, running, desired, completed, state: 'progressing', reason, position }
    })
}
