import fs from 'node:fs'
import { after } from 'node:test'
import { attachBed, type Bed, startBed } from './bed.mjs'

/**
 * The swarm for a live test file: the one that `npm test` shares among all of them (`$SWARM_BED`, the path of its JSON),
 * or one of its own that is removed after the file's tests. Whoever shares cleans up: remove your stacks, and use
 * stack names of your own. Call it at the top level of the file.
 */
export async function liveBed(): Promise<Bed> {
  const shared = process.env.SWARM_BED
  if (shared) return attachBed(JSON.parse(fs.readFileSync(shared, 'utf8')))
  return ownBed('live')
}

/**
 * A swarm that no other file knows, for tests of what belongs to a swarm as a whole: what one reads of all stacks' release records
 * decides what another may prune.
 */
export async function ownBed(name: string): Promise<Bed> {
  const bed = await startBed({ name: `${name}-${process.pid}`, log: (line) => console.error(line) })
  after(() => bed.stop())
  return bed
}
