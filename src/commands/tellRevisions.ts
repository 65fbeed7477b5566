import type { Release } from '../history/releases.ts'
import type { Progress } from './context.ts'

/**
 * Which release record is the stack's current one, and which came before: for the outputs of every run that has read them.
 * @param releases by revision, the current one last
 */
export function tellRevisions(progress: Progress, releases: readonly Release[]): void {
  progress.revision = releases.at(-1)?.record.revision
  progress.previousRevision = releases.at(-2)?.record.revision
}
