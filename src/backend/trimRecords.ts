import type { Engine } from '../engine/engine.ts'
import { messageOf } from '../errors.ts'
import type { Release } from '../history/releases.ts'
import { isKind } from './writing.ts'

/**
 * Removes the oldest of the releases before the current one, so that `keep` are left with it. Answers what could not be removed, and why.
 * @param before by revision, without the current one
 */
export async function trimRecords(
  engine: Engine,
  before: readonly Release[],
  keep: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const failures: string[] = []
  for (const { id, name } of before.slice(0, Math.max(0, before.length - (keep - 1)))) {
    try {
      await engine.removeConfig(id, { signal })
    } catch (error) {
      if (!isKind(error, 'not-found')) failures.push(`${name}: ${messageOf(error)}`)
    }
  }
  return failures
}
