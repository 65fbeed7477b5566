import type { Release } from './releases.ts'

/** The newest release that is known to have gone well. One that was cancelled is not. */
export function lastGood(releases: readonly Release[]): Release | undefined {
  return releases.findLast(({ status }) => status === 'deployed' || status === 'superseded')
}
