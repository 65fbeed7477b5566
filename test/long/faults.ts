// Deploys through a link that is cut, stalled, corrupted or slowed anywhere, on a swarm of its own.
//
//   npm run test:faults                        200 cases, 4 at once
//   npm run test:faults -- COUNT [SEED] [JOBS] the same seed makes the same cases
import { test } from 'node:test'
import { inParallel } from '../../src/backend/inParallel.ts'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { messageOf } from '../../src/errors.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { faultyCase, faultyRuns } from '../support/faultyRun.ts'
import { liveBed } from '../support/liveBed.ts'

const [count = 200, seed = 1, jobs = 4] = process.argv.slice(2).map(Number)
const bed = await liveBed()
const tunnel = await openUnixTunnel(bed.socket, AbortSignal.timeout(10_000))

test(`${count} deployments through bad links`, async (t) => {
  t.after(() => tunnel.close())
  const run = await faultyRuns(t, bed, openEngine(tunnel.agent), `faults-${seed}`)
  const ends = { converged: 0, 'converged over a new connection': 0, 'ended with an error': 0, wrong: 0 }
  const reasons = new Map<string, number>()
  const cases = Array.from({ length: count }, (_, index) => faultyCase(seed + index))
  await inParallel(cases, jobs, async (one) => {
    try {
      const { first, again, connections } = await run(one)
      const kind = again ? 'ended with an error' : connections > 1 ? 'converged over a new connection' : 'converged'
      ends[kind]++
      const { status, 'failure-reason': reason } = first.outputs
      if (again) reasons.set(`${status}, ${reason}`, (reasons.get(`${status}, ${reason}`) ?? 0) + 1)
      const seconds = (first.durationMs / 1000).toFixed(1)
      console.log(`${one.number}: ${kind} in ${seconds} s, ${connections} connections: ${one.name}`)
      if (again) console.log(`    ${status}, ${reason}: ${first.outputs['failure-message']}`)
    } catch (error) {
      ends.wrong++
      console.log(`${one.number}: WRONG: ${one.name}\n${messageOf(error)}`)
    }
  })
  console.log(JSON.stringify({ ...ends, reasons: Object.fromEntries(reasons) }))
  if (ends.wrong > 0) throw new Error(`${ends.wrong} of ${count} ended wrongly`)
})
