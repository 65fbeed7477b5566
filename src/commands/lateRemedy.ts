import { HELD_NETWORK } from '../backend/networkKeeper.ts'
import type { Remains } from '../backend/stackRemains.ts'
import { remedies } from '../health/remedies.ts'

/** What helps against what is left of a stack when the time for its removal is up. Undefined: it could not be read. */
export function lateRemedy(remains: Remains | undefined): string {
  if (remains === undefined) return remedies.timeout
  const { objects, tasks } = remains
  if (tasks.some(({ nodeState }) => nodeState === 'down')) {
    return 'What ran on a node that is down is forgotten when the node comes back, or is taken out with `docker node rm --force`.'
  }
  const isForgotten = tasks.length === 0 && objects.every(({ kind, refusal }) => kind === 'network' && !refusal)
  return isForgotten ? HELD_NETWORK : remedies.timeout
}
