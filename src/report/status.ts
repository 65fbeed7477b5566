import type { Status } from './outcome.ts'

export interface StatusFacts {
  readonly exitCode: 0 | 1
  readonly icon: string
  /** What became of the stack, after "the stack shop". */
  readonly says: string
  /** Who is meant instead of the stack. */
  readonly subject?: string | undefined
}

/** The contract's table of statuses. */
const STATUSES: Readonly<Record<Status, StatusFacts>> = {
  converged: { exitCode: 0, icon: '✅', says: 'is deployed, and every service converged' },
  unchanged: {
    exitCode: 0,
    icon: '✅',
    says: 'is as the manifest says: nothing was written',
  },
  deployed: { exitCode: 0, icon: '✅', says: 'is written; whether it runs was not waited for' },
  planned: { exitCode: 0, icon: '📋', says: 'would change as listed; nothing was written' },
  removed: { exitCode: 0, icon: '✅', says: 'is removed' },
  listed: { exitCode: 0, icon: '✅', says: 'are listed' },
  healthy: { exitCode: 0, icon: '✅', says: 'is healthy' },
  progressing: { exitCode: 0, icon: '⏳', says: 'is on its way' },
  degraded: { exitCode: 1, icon: '❌', says: 'is degraded' },
  absent: { exitCode: 1, icon: '❌', says: 'is not there' },
  refused: { exitCode: 1, icon: '🚫', says: 'was not deployed: nothing was written' },
  failed: { exitCode: 1, icon: '❌', says: 'failed' },
  'timed-out': { exitCode: 1, icon: '⌛', says: 'did not converge in time' },
  cancelled: { exitCode: 1, icon: '🛑', says: 'was cancelled on its way' },
  'rolled-back': { exitCode: 1, icon: '↩️', says: 'failed, and is back as it was before' },
  'rollback-failed': { exitCode: 1, icon: '🚨', says: 'failed, and could not be put back: someone must look' },
}

/** What else a status says where a stack was to be removed. */
const OF_REMOVAL: Partial<Readonly<Record<Status, string>>> = {
  refused: 'was not removed: nothing was written',
  failed: 'is not wholly removed',
  'timed-out': 'was not gone in time',
  cancelled: 'was being removed when the run was cancelled',
}

/** And where it was to go back to an earlier revision. */
const OF_ROLLBACK: Partial<Readonly<Record<Status, string>>> = {
  converged: 'is rolled back, and every service converged',
  unchanged: 'is as that revision says: nothing was written',
  deployed: 'is rolled back; whether it runs was not waited for',
  refused: 'was not rolled back: nothing was written',
}

export function statusFacts({
  status,
  command,
  changes,
}: {
  readonly status: Status
  readonly command?: string | undefined
  readonly changes?: readonly unknown[] | undefined
}): StatusFacts {
  const facts = STATUSES[status]
  if (command === 'list')
    return { ...facts, says: status === 'listed' ? facts.says : 'could not be listed', subject: "The swarm's stacks" }
  const says = OF_COMMAND[command ?? '']?.[status] ?? planSays(status, command, changes)
  return says === undefined ? facts : { ...facts, says }
}

const OF_COMMAND: Readonly<Record<string, typeof OF_REMOVAL | undefined>> = {
  remove: OF_REMOVAL,
  rollback: OF_ROLLBACK,
}

/** What else a status says of a plan. */
function planSays(status: Status, command: string | undefined, changes: readonly unknown[] = []): string | undefined {
  if (status === 'planned' && changes.length === 0) return 'is as the manifest says: a deployment would write nothing'
  return status === 'refused' && command === 'plan' ? 'would not be deployed: a deployment would be refused' : undefined
}

/** The process's exit code for a status. */
export function exitCodeOf(status: Status): 0 | 1 {
  return STATUSES[status].exitCode
}

/** Whether a deployment ended well: every service runs, or nobody waits until it does. */
export function isDeployed(status: Status): boolean {
  return ['converged', 'unchanged', 'deployed'].includes(status)
}

/** Whether the status means that nothing was, or was to be, written. */
export function writesNothing(status: Status): boolean {
  return ['unchanged', 'planned', 'listed', 'healthy', 'progressing', 'degraded', 'absent', 'refused'].includes(status)
}
