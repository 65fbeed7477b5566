import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a real swarm, or for the one in memory: 30 s at most. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return
    await sleep(100)
  }
  assert.fail(`waited 30 s in vain until ${what}`)
}
