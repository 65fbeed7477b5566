import { randomUUID } from 'node:crypto'
import { messageOf } from '../errors.ts'
import type { Outcome } from './outcome.ts'
import { outputsOf } from './outputs.ts'
import type { Redactor } from './redactor.ts'
import { scrubAll } from './scrub.ts'
import { summaryOf } from './summary.ts'

/**
 * Writes outputs and job summary where the runner reads them, redacted. Returns what could not be written and why: a report that
 * fails never changes the verdict.
 */
export function writeReport(
  outcome: Outcome,
  options: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly redactor: Pick<Redactor, 'redact'>
    readonly summary: boolean
    /** Such as `appendFileSync`. */
    readonly append: (path: string, text: string) => void
  },
): readonly string[] {
  const { env, redactor, append } = options
  const safe = scrubAll(redactor, outcome)
  const failures: string[] = []
  const write = (what: string, variable: string, text: () => string): void => {
    const path = env[variable]
    if (path === undefined || path === '') {
      failures.push(`no ${what} written: $${variable} is not set, so this is no step of a workflow`)
      return
    }
    try {
      append(path, text())
    } catch (error) {
      failures.push(`no ${what} written: ${messageOf(error)}`)
    }
  }
  write('outputs', 'GITHUB_OUTPUT', () =>
    [...outputsOf(safe)].map(([name, value]) => outputEntry(name, value, randomUUID)).join(''),
  )
  if (options.summary) write('job summary', 'GITHUB_STEP_SUMMARY', () => summaryOf(safe))
  return failures
}

/** An entry of the runner's output file. The delimiter is random, and never in the value: a value can't end itself. */
export function outputEntry(name: string, value: string, random: () => string): string {
  let delimiter = `ghadelimiter_${random()}`
  while (value.includes(delimiter)) delimiter = `ghadelimiter_${random()}`
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`
}
