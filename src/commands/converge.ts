import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '../backend/applyPlan.ts'
import { readSnapshot } from '../backend/snapshot.ts'
import type { StackSpec } from '../convert/stackSpec.ts'
import { DeployError } from '../errors.ts'
import { leaderAhead, sinceFirstRead } from '../health/leaderClock.ts'
import { expectationOf } from '../health/since.ts'
import type { Expectation, Snapshot } from '../health/verdict.ts'
import { firstLook } from '../rollout/firstLook.ts'
import { watch } from '../rollout/watch.ts'
import type { Connection } from './connection.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { serviceOutcome } from './explain.ts'
import { inManifestOrder } from './manifest.ts'
import { createProgressLog } from './progressLog.ts'
import { verdictOf } from './verdict.ts'

/** Watches what was deployed until each service is decided or the time is up, and then says why what failed did. */
export async function converge(
  context: CommandContext,
  { engine, now }: Connection,
  spec: StackSpec,
  deployment: Deployment,
  firstRead: number,
): Promise<CommandResult> {
  const { deadline, cancelled, log, progress } = context
  log.group('Wait until it runs')
  progress.doing = 'waiting until the stack runs'
  const progressLog = createProgressLog(log)
  let ahead = 0
  const leaderNow = (): number => now() + ahead
  const read = (signal?: AbortSignal): Promise<Snapshot> =>
    progressLog.awaiting(readSnapshot(engine, spec.namespace, leaderNow, { signal }), signal)
  const pause = (ms: number, signal?: AbortSignal): Promise<void> => sleep(ms, undefined, { signal })
  const first = await firstLook({
    read,
    sleep: pause,
    signal: AbortSignal.any([cancelled, deadline.signal]),
    onTrouble: progressLog.trouble,
    isWhole: ({ services }) => listsAll(services, spec, deployment),
  })
  ahead = leaderAhead(first.services, sendings(deployment), now())
  if (ahead !== 0) log.info(clocksDiffer(ahead))
  const result = await watch({
    read,
    first: { ...first, now: first.now + ahead },
    expectations: expectationsOf(
      context,
      spec,
      deployment,
      first,
      sinceFirstRead(firstRead + ahead, first.tasks, leaderNow()),
    ),
    now: leaderNow,
    sleep: pause,
    deadline: leaderNow() + deadline.remaining(),
    signal: cancelled,
    onVerdicts: (changed, all) => {
      progress.services = all.map((verdict) => serviceOutcome(verdict, spec, progressLog.secondsOf))
      const ready = all.filter(({ condition }) => condition === 'converged').length
      progress.doing = `waiting until the stack runs (${ready} of ${all.length} services do)`
      progressLog.verdicts(changed, all)
    },
    onTrouble: progressLog.trouble,
  })
  if (result.kind === 'cancelled')
    throw new DeployError('cancelled', 'The run was cancelled while the stack was converging.')
  return verdictOf(context, engine, spec, deployment, result, progressLog.secondsOf)
}

// --- Internal helpers ---

function listsAll(live: Snapshot['services'], spec: StackSpec, { services }: Deployment): boolean {
  const listed = new Set(live.map(({ Spec }) => Spec.Name))
  const awaited = new Set(spec.services.map(({ name }) => name))
  return services.every(({ name, written }) => !written || !awaited.has(name) || listed.has(name))
}

function sendings({ services }: Deployment): ReadonlyMap<string, number> {
  return new Map(services.flatMap(({ name, sentAt }) => (sentAt === undefined ? [] : [[name, sentAt] as const])))
}

function clocksDiffer(ahead: number): string {
  const seconds = Math.round(Math.abs(ahead) / 1000)
  return `The clock of this manager is about ${seconds} s ${ahead > 0 ? 'behind' : 'ahead of'} that of the swarm's leader, which counts here`
}

function expectationsOf(
  context: CommandContext,
  spec: StackSpec,
  deployment: Deployment,
  first: Snapshot,
  firstRead: number,
): readonly Expectation[] {
  const live = new Map(first.services.map((service) => [service.Spec.Name, service]))
  const done = new Map(deployment.services.map((service) => [service.name, service]))
  const { monitor, maxFailures } = context.inputs
  return [...spec.services].sort(inManifestOrder(context)).map(({ key, name }) => {
    const { id, written = false, previousUpdatedAt, isWanted } = done.get(name) ?? {}
    const facts = { key, name, id, written, previousUpdatedAt, isWanted, firstRead, monitor, maxFailures }
    return expectationOf(live.get(name), facts)
  })
}
