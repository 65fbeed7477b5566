import type { PlannedStack } from '../backend/applyPlan.ts'
import type { Kept } from '../backend/kept.ts'
import type { Orphan, SparedOrphan } from '../backend/orphans.ts'
import type { Approved, Pruned } from '../backend/prune.ts'
import { messageOf, type Problem } from '../errors.ts'
import { isDeployed } from '../report/status.ts'
import { backendOf } from './backendOf.ts'
import type { Connection } from './connection.ts'
import type { CommandContext, CommandResult } from './context.ts'

/** The deployment is done: so long (ms) its clearing up may take at most. */
const PATIENCE = 120_000

/** So many are named, the others counted. */
const NAMED = 20

/**
 * Removes what has left the manifest (`prune`), or says what there is of it. Nothing after a deployment that did not go well, nor after one of a
 * part of the stack. What goes wrong here is a warning: the deployment stands.
 * @param planned what the deployment was made from
 * @param approved what may be removed; undefined: whatever is found
 */
export async function pruned(
  context: CommandContext,
  connection: Connection,
  kept: Kept,
  { observation }: PlannedStack,
  approved: Approved | undefined,
  result: CommandResult,
): Promise<CommandResult> {
  const { inputs, cancelled, log, progress, warn } = context
  if (!isDeployed(result.status) || inputs.services !== undefined) return result
  const patience = AbortSignal.timeout(PATIENCE)
  // The deployment may have used up all of its own time.
  connection.prolong(patience)
  const signal = AbortSignal.any([cancelled, patience])
  const backend = await backendOf(context, connection, { signal })
  try {
    if (!inputs.prune) {
      const { removable, spared } = await backend.findOrphans(kept, observation)
      tellOrphans(context, kept.namespace, removable, spared)
      return result
    }
    log.group('Remove what has left the manifest')
    progress.doing = 'removing what has left the manifest'
    const done = await backend.prune(kept, approved)
    progress.changes = [...progress.changes, ...done.changes]
    tellPruned(context, done)
    return done.changes.length > 0 && result.status === 'unchanged' ? { ...result, status: 'converged' } : result
  } catch (error) {
    if (cancelled.aborted) throw error
    const doing = inputs.prune
      ? 'What has left the manifest is not all removed'
      : 'What has left the manifest is not known'
    warn(warning(`${doing}: ${messageOf(error)}`, 'The next deployment looks again.'))
    return result
  }
}

// --- Internal helpers ---

/** Without `prune`. */
function tellOrphans(
  { warn, log }: CommandContext,
  namespace: string,
  removable: readonly Orphan[],
  spared: readonly SparedOrphan[],
): void {
  const superseded = removable.filter(({ isSuperseded }) => isSuperseded)
  const strangers = spared.filter(({ kind, why }) => kind === 'service' && why === 'foreign')
  const orphans = [...removable.filter(({ isSuperseded }) => !isSuperseded), ...strangers]
  if (superseded.length > 0) {
    const [what, all] =
      superseded.length === 1
        ? ['generation of a secret or config', 'it']
        : ['generations of secrets and configs', 'them']
    log.info(
      `${superseded.length} superseded ${what}, which nothing refers to any more: \`prune: true\` removes ${all}.`,
    )
  }
  if (orphans.length === 0) return
  const isOne = orphans.length === 1
  const them = isOne ? 'it' : 'them'
  const but =
    strangers.length === 0
      ? ''
      : `, but for ${named(strangers)}, not created for this repository: \`docker service rm\` does`
  warn(
    warning(
      `the stack ${namespace} still has what the manifest does not: ${named(orphans)}`,
      strangers.length === orphans.length
        ? `This action did not create ${them} for this repository, so \`prune\` leaves ${them} alone: remove what you do not need with \`docker service rm\`.`
        : `\`prune: true\` removes ${them}${but}.`,
    ),
  )
}

function tellPruned({ warn, log }: CommandContext, { changes, refused, spared, volumes }: Pruned): void {
  if (changes.length === 0) log.info('There is nothing to remove.')
  for (const { kind, name, isSuperseded, reason } of refused) {
    const why = isSuperseded ? 'is superseded' : 'has left the manifest'
    warn(warning(`the ${kind} ${name} ${why} and could not be removed: ${reason}`, 'The next deployment tries again.'))
  }
  const reasons = new Map<string, SparedOrphan[]>()
  for (const orphan of spared) reasons.set(orphan.reason, [...(reasons.get(orphan.reason) ?? []), orphan])
  for (const [reason, orphans] of reasons) log.info(`Kept, since ${reason}: ${named(orphans)}`)
  if (volumes.length > 0) {
    log.info(`Volumes on the manager that no service uses stay: ${volumes.slice(0, NAMED).join(', ')}`)
  }
}

/** `services shop_old, shop_older, network shop_back` */
function named(orphans: readonly Orphan[]): string {
  const shown = orphans.slice(0, NAMED)
  const kinds = [...new Set(shown.map(({ kind }) => kind))].map((kind) => {
    const names = shown.filter((orphan) => orphan.kind === kind).map(({ name }) => name)
    return `${kind}${names.length === 1 ? '' : 's'} ${names.join(', ')}`
  })
  const more = orphans.length - shown.length
  return `${kinds.join('; ')}${more > 0 ? ` and ${more} more` : ''}`
}

function warning(message: string, remedy: string): Problem {
  return { severity: 'warning', code: 'engine', message, remedy }
}
