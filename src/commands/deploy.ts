import type { Application } from '../backend/applyPlan.ts'
import { keptOf } from '../backend/kept.ts'
import type { StackSpec } from '../convert/stackSpec.ts'
import { approve } from './approval.ts'
import { backendOf, ownerOf } from './backendOf.ts'
import type { Connection } from './connection.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { offline } from './offline.ts'
import { onManager } from './onManager.ts'
import { pruned } from './prune.ts'
import { orPutBack } from './putBack.ts'
import { releaseKeeper } from './release.ts'
import { rollOut } from './rollOut.ts'
import { withWayBack } from './wayBack.ts'

/** Manifest to specs, specs to the swarm, and then the watch until the stack runs or the reason why it does not is known. */
export async function deploy(context: CommandContext): Promise<CommandResult> {
  context.log.group('Manifest')
  const manifest = await offline(context)
  return onManager(context, (connection, signal) => deployStack(context, connection, signal, manifest))
}

/**
 * The part of it that needs a manager; a rollback is the same, with the manifest of another time.
 * @param declared the stack with the manifest's own names, where `spec` has others
 */
export async function deployStack(
  context: CommandContext,
  connection: Connection,
  signal: AbortSignal,
  {
    auth,
    spec,
    source,
    manifestText,
    declared = spec,
  }: Awaited<ReturnType<typeof offline>> & { readonly declared?: StackSpec },
): Promise<CommandResult> {
  const { inputs, log, progress } = context
  const firstRead = connection.now()
  log.group(`Deploy stack ${spec.namespace}`)
  progress.doing = 'reading the swarm and writing to it'
  const backend = await backendOf(context, connection, { auth, signal })
  const release = releaseKeeper(context, connection, spec.namespace, source, ownerOf(context))
  const planned = await backend.planStack(spec, inputs.resolveImage, release.look)
  release.prepare(planned)
  const dropped = release.dropped()
  const proposal = { backend, spec: declared, planned, firstRead, dropped, manifestText }
  const { named, removals } = await approve(context, connection, proposal)

  const carryOut = async (): Promise<CommandResult> => {
    let application: Application | undefined
    const result = await orPutBack(
      context,
      connection,
      spec,
      planned,
      () => application,
      async () => {
        application = await backend.beginStack(planned)
        const { store } = release
        return rollOut(context, connection, spec, planned, application, { firstRead, store })
      },
    )
    const settled = release.settle(result.status)
    // What is removed depends on which records there are; a mere look need not wait for them.
    if (inputs.prune || result.failure !== undefined) await settled
    if (result.failure !== undefined) return withWayBack(context, result)
    const kept = keptOf(declared, planned.plan.objects, firstRead)
    return pruned(context, connection, kept, planned, removals, result).finally(() => settled)
  }
  return carryOut().finally(() => named)
}
