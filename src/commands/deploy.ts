import { backendOf, ownerOf } from './backendOf.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { converge } from './converge.ts'
import { offline } from './offline.ts'
import { onManager } from './onManager.ts'
import { releaseKeeper } from './release.ts'

/** Manifest to specs, specs to the swarm, and then the watch until the stack runs or the reason why it does not is known. */
export async function deploy(context: CommandContext): Promise<CommandResult> {
  const { inputs, log, progress } = context
  log.group('Manifest')
  const { auth, spec, source } = await offline(context)
  return onManager(context, async (connection, signal) => {
    const firstRead = connection.now()
    log.group(`Deploy stack ${spec.namespace}`)
    progress.doing = 'reading the swarm and writing to it'
    const backend = await backendOf(context, connection, { auth, signal })
    const release = releaseKeeper(context, connection, source, ownerOf(context))
    const planned = await backend.planStack(spec, inputs.resolveImage)
    release.prepare(planned)

    const application = await backend.beginStack(planned)
    const services = await application.services(planned.plan.services)
    const deployment = { changes: application.changes(), services, objects: planned.plan.objects }
    progress.changes = deployment.changes
    await release.store()

    const result: CommandResult = inputs.wait
      ? await converge(context, connection, spec, deployment, firstRead)
      : { status: deployment.changes.length === 0 ? 'unchanged' : 'deployed' }
    await release.settle(result.status)
    return result
  })
}
