import type { PlannedStack } from '../backend/applyPlan.ts'
import type { Backend } from '../backend/backend.ts'
import { differencesOf, type LeftObject } from '../backend/differences.ts'
import type { ManifestText } from '../backend/fieldText.ts'
import { differingKinds, planIdOf } from '../backend/planId.ts'
import type { StackSpec } from '../convert/stackSpec.ts'
import { DeployError } from '../errors.ts'
import { planLines } from '../report/planText.ts'
import type { Connection } from './connection.ts'
import type { CommandContext } from './context.ts'
import { leftBehind } from './leftBehind.ts'

/** What a deployment is about to do, and what it was made from. */
export interface Proposal {
  readonly backend: Backend
  readonly spec: StackSpec
  readonly planned: PlannedStack
  /** When this run began to look at the swarm (ms, manager's clock). */
  readonly firstRead: number
  /** Ids of the release records that a good end removes. */
  readonly dropped: ReadonlySet<string>
  readonly manifestText: ManifestText
}

/**
 * Names what is about to be done, and throws `conflict` before any write where that is not what was approved. Without an approval nobody
 * waits for the name, which takes time: `named` resolves once it is known.
 */
export async function approve(
  context: CommandContext,
  connection: Connection,
  proposal: Proposal,
): Promise<{
  readonly named: Promise<unknown>
  /** What may be removed as no part of the manifest any more; undefined without an approval: whatever is found. */
  readonly removals?: readonly LeftObject[] | undefined
}> {
  const { expectPlan, prune } = context.inputs
  const { planned, manifestText } = proposal
  // Without either, nothing depends on what the manifest no longer has.
  const left = prune || expectPlan !== undefined ? await leftBehind(context, proposal) : []
  const named = namePlan(context, connection, planned, left)
  if (expectPlan === undefined) return { named }
  const id = await named
  if (expectPlan === id) return { named, removals: left.filter(({ isRemoved }) => isRemoved) }
  context.log.info('What would be done now is not what was approved:')
  showPlan(context, planned, left, manifestText)
  const kinds = differingKinds(expectPlan, id)
  const what = kinds === undefined ? '' : `; what would be done to ${kinds} is something else`
  throw new DeployError('conflict', `the plan is ${id} now, and \`expect-plan\` is ${expectPlan}${what}`, {
    remedy:
      'The manifest, an input, an image behind a tag, a secret or the swarm has changed since: the log and the summary show the plan as it is now. Run `command: plan` again, and approve what that shows.',
  })
}

/** Finds the plan's id, which the run then tells. */
export async function namePlan(
  { progress }: CommandContext,
  { swarmId }: Pick<Connection, 'swarmId'>,
  planned: PlannedStack,
  left: readonly LeftObject[],
): Promise<string> {
  const id = await planIdOf(planned, left, swarmId)
  progress.planId = id
  return id
}

/** Says the plan, field by field, in the log and in all that is reported. */
export function showPlan(
  { log, progress }: CommandContext,
  planned: PlannedStack,
  left: readonly LeftObject[],
  manifestText: ManifestText,
): void {
  const differences = differencesOf(planned, left, manifestText)
  planLines(differences).forEach(log.planned)
  progress.plan = differences
}
