import { assess } from '../health/assess.ts'
import { standingExpectation } from '../health/since.ts'
import type { Snapshot, Verdict } from '../health/verdict.ts'
import type { CommandContext } from './context.ts'

/** How a service stands, judged by its live spec. */
export function standingVerdict(
  { monitor, maxFailures }: Pick<CommandContext['inputs'], 'monitor' | 'maxFailures'>,
  { key, name }: { readonly key: string; readonly name: string },
  snapshot: Snapshot,
): Verdict {
  const live = snapshot.services.find(({ Spec }) => Spec.Name === name)
  return assess(standingExpectation(live, { key, name, now: snapshot.now, monitor, maxFailures }), snapshot)
}
