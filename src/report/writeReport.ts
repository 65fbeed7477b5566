import { randomUUID } from 'node:crypto'
import { messageOf, type Problem } from '../errors.ts'
import type { Outcome } from './outcome.ts'
import { outputsOf } from './outputs.ts'
import { type Redaction, scrubAll } from './scrub.ts'
import { summaryOf } from './summary.ts'

type Append = (path: string, text: string) => void

/**
 * Why the outputs can't be written at the end of the run, to be known before anything else is: a workflow that goes on without them
 * takes what was deployed for what was not.
 */
export function unwritableOutputs(
  { GITHUB_OUTPUT: path }: Readonly<Record<string, string | undefined>>,
  append: Append,
): Problem | undefined {
  try {
    if (path) append(path, '')
    return undefined
  } catch (error) {
    return unwritten('error', 'outputs', 'GITHUB_OUTPUT', error)
  }
}

/**
 * Writes outputs and job summary where the runner reads them, redacted. Returns what could not be written and why, and what was left out
 * because no runner asks for it: a report that fails never changes the verdict.
 */
export function writeReport(
  outcome: Outcome,
  options: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly redactor: Redaction
    readonly summary: boolean
    /** Such as `appendFileSync`. */
    readonly append: Append
  },
): { readonly skipped: readonly string[]; readonly problems: readonly Problem[] } {
  const { env, redactor, append } = options
  const safe = scrubAll(redactor, outcome)
  const skipped: string[] = []
  const problems: Problem[] = []
  const write = (severity: Problem['severity'], what: string, variable: string, text: () => string): void => {
    const path = env[variable]
    if (path === undefined || path === '') {
      skipped.push(`no ${what} written: $${variable} is not set, so this is no step of a workflow`)
      return
    }
    try {
      append(path, text())
    } catch (error) {
      problems.push(unwritten(severity, what, variable, error))
    }
  }
  write('error', 'outputs', 'GITHUB_OUTPUT', () =>
    [...outputsOf(safe)].map(([name, value]) => outputEntry(name, value, randomUUID)).join(''),
  )
  if (options.summary) write('warning', 'job summary', 'GITHUB_STEP_SUMMARY', () => summaryOf(safe))
  return { skipped, problems }
}

function unwritten(severity: Problem['severity'], what: string, variable: string, error: unknown): Problem {
  return {
    severity,
    code: 'input',
    message: `no ${what} can be written into the runner's file, $${variable}: ${messageOf(error)}`,
    remedy: 'See that the user who runs this action may write that file, and that the disk has room.',
  }
}

/** An entry of the runner's output file. The delimiter is random, and never in the value: a value can't end itself. */
export function outputEntry(name: string, value: string, random: () => string): string {
  let delimiter = `ghadelimiter_${random()}`
  while (value.includes(delimiter)) delimiter = `ghadelimiter_${random()}`
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`
}
