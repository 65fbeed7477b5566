import { handover } from '../backend/ownership.ts'
import { namePlan, showPlan } from './approval.ts'
import { backendOf, ownerOf } from './backendOf.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { leftBehind } from './leftBehind.ts'
import { offline } from './offline.ts'
import { onManager } from './onManager.ts'
import { releaseKeeper } from './release.ts'

/** Everything that a deployment does before its first write, and then what it would write instead of the writes. */
export async function plan(context: CommandContext): Promise<CommandResult> {
  const { inputs, log, progress, warn } = context
  log.group('Manifest')
  const { auth, spec, source, manifestText } = await offline(context)
  return onManager(context, async (connection, signal) => {
    const firstRead = connection.now()
    log.group(`Plan of stack ${spec.namespace}`)
    progress.doing = 'reading the swarm'
    const backend = await backendOf(context, connection, { auth, signal })
    const release = releaseKeeper(context, connection, spec.namespace, source, ownerOf(context))
    const planned = await backend.planStack(spec, inputs.resolveImage, release.look)
    release.prepare(planned)

    const owner = { owner: ownerOf(context), adopt: inputs.adopt }
    const taken = handover(spec.namespace, planned.observation, owner)
    if (taken !== undefined) log.info(`A deployment says: ${taken}`)
    planned.plan.warnings.forEach(warn)
    const left = await leftBehind(context, { backend, spec, planned, firstRead, dropped: release.dropped() })
    showPlan(context, planned, left, manifestText)
    log.info(`plan-id: ${await namePlan(context, connection, planned, left)}`)
    const removals = left
      .filter(({ isRemoved }) => isRemoved)
      .map(({ kind, name }) => ({ kind, name, action: 'remove', fields: [] }) as const)
    progress.changes = [...planned.plan.changes, ...removals]
    return { status: 'planned' }
  })
}
