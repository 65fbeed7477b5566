import type { Engine } from '../engine/engine.ts'
import { messageOf } from '../errors.ts'
import { lastGood } from '../history/lastGood.ts'
import type { Release } from '../history/releases.ts'
import { isKind } from './writing.ts'

/**
 * The oldest of the releases before the current one, so that `keep` are left with it. Where one besides it is left, that is the last one
 * that went well, whatever failed since: it is the way back.
 * @param before by revision, without the current one
 */
export function superfluous(before: readonly Release[], keep: number): readonly Release[] {
  const back = keep > 1 ? lastGood(before) : undefined
  return before.filter((release) => release !== back).slice(0, Math.max(0, before.length - (keep - 1)))
}

/** Removes releases. Answers what could not be removed, and why. */
export async function trimRecords(
  engine: Engine,
  releases: readonly Release[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const failures: string[] = []
  for (const { id, name } of releases) {
    try {
      await engine.removeConfig(id, { signal })
    } catch (error) {
      if (!isKind(error, 'not-found')) failures.push(`${name}: ${messageOf(error)}`)
    }
  }
  return failures
}
