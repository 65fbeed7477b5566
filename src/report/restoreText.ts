import type { RestoreReport } from './outcome.ts'
import { cleanLine } from './untrusted.ts'

export interface RestoreLine {
  readonly label: string
  /** Names, some with a reason in brackets. */
  readonly names: readonly string[]
}

/** What became of the services that a deployment had written, a line for each fate that one of them has. */
export function restoreLines({ putBack, removed, kept, notBack, open }: RestoreReport): readonly RestoreLine[] {
  const because = ({ name, why }: { readonly name: string; readonly why: string }): string => `${name} (${why})`
  return [
    { label: 'Put back as before', names: putBack },
    { label: 'Removed again, since new', names: removed },
    { label: 'Left as deployed', names: kept.map(because) },
    { label: 'Not put back', names: notBack.map(because) },
    { label: 'Not put back yet, or unknown', names: open },
  ].filter(({ names }) => names.length > 0)
}

/** Why a rollback failed, in a sentence; undefined where it did not. */
export function restoreTrouble({ notBack, trouble }: RestoreReport): string | undefined {
  const lost = notBack.map(({ name, why }) => `${name} is not back: ${why}`)
  const reasons = [...lost, ...(trouble === undefined ? [] : [trouble])].map((reason) => cleanLine(reason, 1000))
  return reasons.length === 0 ? undefined : `The rollback failed: ${reasons.join('; ')}`
}
