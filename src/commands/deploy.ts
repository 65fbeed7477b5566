import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '../backend/applyPlan.ts'
import { Backend } from '../backend/backend.ts'
import { mountedSecretNames } from '../backend/mountedSecretNames.ts'
import { readSnapshot } from '../backend/snapshot.ts'
import type { StackSpec } from '../convert/stackSpec.ts'
import { DeployError } from '../errors.ts'
import { expectationOf } from '../health/since.ts'
import type { Expectation, Snapshot } from '../health/verdict.ts'
import { firstLook } from '../rollout/firstLook.ts'
import { watch } from '../rollout/watch.ts'
import { type Connection, connect } from './connection.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { serviceOutcome } from './explain.ts'
import { inManifestOrder } from './manifest.ts'
import { offline } from './offline.ts'
import { createProgressLog } from './progressLog.ts'
import { releaseKeeper } from './release.ts'
import { verdictOf } from './verdict.ts'

/** Where Swarm mounts the secrets of a service: what is there belongs to the runner. */
const MOUNTED_SECRETS = '/run/secrets'

/** Manifest to specs, specs to the swarm, and then the watch until the stack runs or the reason why it does not is known. */
export async function deploy(context: CommandContext): Promise<CommandResult> {
  const { inputs, log, journal, deadline, cancelled, progress } = context
  const signal = AbortSignal.any([cancelled, deadline.signal])
  // Every call under way listens to it: Node's warning of a leak above ten is about something else.
  setMaxListeners(0, signal, cancelled)

  log.group('Manifest')
  const { auth, spec, source } = await offline(context)

  log.group('Connection')
  progress.doing = 'connecting to the manager'
  const connection = await connect(context, signal)
  try {
    const firstRead = connection.now()
    log.group(`Deploy stack ${spec.namespace}`)
    const owner = inputs.repository === undefined ? undefined : `gha/${inputs.repository}`
    const release = releaseKeeper(context, connection, source, owner)
    const backend = new Backend(connection.engine, {
      log: (line) => log.info(line),
      warn: context.warn,
      now: connection.now,
      journal,
      signal,
      rotate: inputs.rotate,
      strictImages: inputs.strictImages,
      owner,
      adopt: inputs.adopt,
    })
      .withRegistryAuth(auth)
      .withForbiddenSecrets(new Set([...inputs.protectedSecrets, ...(await mountedSecretNames(MOUNTED_SECRETS))]))
    progress.doing = 'reading the swarm and writing to it'
    const planned = await backend.planStack(spec, inputs.resolveImage)
    release.prepare(planned)
    const application = await backend.beginStack(planned)
    const services = await application.services(planned.plan.services)
    const deployment = { changes: application.changes(), services, objects: planned.plan.objects }
    progress.changes = deployment.changes
    await release.store()

    const result = inputs.wait
      ? await converge(context, connection, spec, deployment, firstRead)
      : ({ status: deployment.changes.length === 0 ? 'unchanged' : 'deployed' } as const)
    await release.settle(result.status)
    return result
  } finally {
    log.endGroup()
    await connection.close()
  }
}

async function converge(
  context: CommandContext,
  { engine, now }: Connection,
  spec: StackSpec,
  deployment: Deployment,
  firstRead: number,
): Promise<CommandResult> {
  const { deadline, cancelled, log, progress } = context
  log.group('Wait until it runs')
  progress.doing = 'waiting until the stack runs'
  const read = (signal?: AbortSignal): Promise<Snapshot> => readSnapshot(engine, spec.namespace, now, { signal })
  const pause = (ms: number, signal?: AbortSignal): Promise<void> => sleep(ms, undefined, { signal })
  const progressLog = createProgressLog(log)
  const first = await firstLook({
    read,
    sleep: pause,
    signal: AbortSignal.any([cancelled, deadline.signal]),
    onTrouble: progressLog.trouble,
  })
  const result = await watch({
    read,
    expectations: expectationsOf(context, spec, deployment, first, firstRead),
    now,
    sleep: pause,
    deadline: now() + deadline.remaining(),
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
    const { written = false, previousUpdatedAt, isWanted } = done.get(name) ?? {}
    const facts = { key, name, written, previousUpdatedAt, isWanted, firstRead, monitor, maxFailures }
    return expectationOf(live.get(name), facts)
  })
}
