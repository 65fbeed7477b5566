import type { Verdict } from '../health/verdict.ts'

/** So many services are named with what they lack, the others only by name. */
const TOLD = 5

/** What was still pending when the time was up, and why: `web: 2/3 running; web.3 preparing on node-a for 12 s`. */
export function timeoutSentence(verdicts: readonly Verdict[]): string {
  const open = verdicts.filter((verdict) => verdict.condition !== 'converged')
  const told = open.slice(0, TOLD).map((verdict) => `${verdict.key}: ${verdict.sentence}`)
  const others = open.slice(TOLD).map((verdict) => verdict.key)
  const rest = others.length === 0 ? '' : ` | and ${others.length} more: ${others.join(', ')}`
  const count = `${open.length} of ${verdicts.length} ${verdicts.length === 1 ? 'service' : 'services'}`
  return `the time was up before ${count} had converged: ${told.join(' | ')}${rest}`
}
