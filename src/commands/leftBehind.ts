import type { LeftObject } from '../backend/differences.ts'
import { keptOf } from '../backend/kept.ts'
import type { Proposal } from './approval.ts'
import type { CommandContext } from './context.ts'

/** What the stack will have that the manifest does not, and whether this run would remove it; of a part of the stack nobody can tell. */
export async function leftBehind(
  { inputs }: CommandContext,
  { backend, spec, planned, firstRead, dropped }: Omit<Proposal, 'manifestText'>,
): Promise<readonly LeftObject[]> {
  if (inputs.services !== undefined) return []
  const { removable, spared } = await backend.foreseeOrphans(
    keptOf(spec, planned.plan.objects, firstRead),
    planned,
    dropped,
  )
  return [
    ...removable.map(({ kind, name, isSuperseded }) => {
      const why = isSuperseded ? 'nothing refers to it any more' : 'the manifest does not have it any more'
      return {
        kind,
        name,
        isRemoved: inputs.prune,
        note: inputs.prune ? `${why}: it is removed once the others run` : `${why}: \`prune: true\` removes it`,
      }
    }),
    ...spared
      .filter(({ kind, why }) => kind === 'service' && why === 'foreign')
      .map(({ kind, name, reason }) => ({
        kind,
        name,
        isRemoved: false,
        note: `the manifest does not have it, and it stays: ${reason}`,
      })),
  ]
}
