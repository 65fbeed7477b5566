import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError } from '../engine/engine.ts'
import { messageOf } from '../errors.ts'
import { inParallel } from './inParallel.ts'
import { removeObject } from './removeObject.ts'
import type { Writing } from './writing.ts'

/** A volume that could not be removed, and the engine's words why. */
export interface KeptVolume {
  readonly name: string
  readonly reason: string
}

/** The container that had it may not be gone yet although its task has ended. */
const IN_USE = /in use/i

/**
 * Removes volumes of the node that answers, and what is in them. One in use is asked for again every so often, each within its own
 * time (ms); answers those that stay.
 */
export async function removeVolumes(
  names: readonly string[],
  writing: Writing,
  { within = 30_000, every = 2000 } = {},
): Promise<readonly KeptVolume[]> {
  const { settings } = writing
  const kept = await inParallel(names, settings.concurrency, async (name): Promise<readonly KeptVolume[]> => {
    settings.log(`Removing volume ${name}`)
    const until = performance.now() + within
    for (;;) {
      try {
        await removeObject({ kind: 'volume', id: name, name }, writing)
        return []
      } catch (error) {
        if (!(error instanceof EngineError)) throw error
        const reason = messageOf(error)
        if (!IN_USE.test(reason) || performance.now() + every > until) return [{ name, reason }]
        // Cut short by a cancellation, which the next try reports.
        await sleep(every, undefined, settings.signal && { signal: settings.signal }).catch(() => {})
      }
    }
  })
  return kept.flat()
}
