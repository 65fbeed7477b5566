import { failureRows } from './matrixFailures.ts'
import { jobRows } from './matrixJobs.ts'
import type { MatrixRow } from './matrixRow.ts'
import { updateRows } from './matrixUpdates.ts'

/** What `docker stack deploy --detach=false` made of a row. */
export interface CliAnswer {
  /** Its exit code; undefined where it had not ended when it was stopped. */
  readonly code: number | undefined
  readonly seconds: number
}

/** All that is tried with both, under the titles of the page. */
export const matrixSections: Readonly<Record<string, readonly MatrixRow[]>> = {
  'A first deployment': failureRows,
  'An update': updateRows,
  'Jobs, one-shots, nothing to run': jobRows,
}

/** The tables of docs/convergence.md: what the docker CLI answered when it was tried, and what this action has to answer. */
export function matrixTables(answers: Readonly<Record<string, CliAnswer>>): string {
  return Object.entries(matrixSections)
    .map(([title, rows]) => {
      const lines = rows.map(({ label, what, expected }) => {
        const reason = expected.reason === undefined ? '' : `, \`${expected.reason}\``
        return `| ${what} | ${cliText(answers[label])} | \`${expected.status}\`${reason} |`
      })
      return [`### ${title}`, '', '| the stack | docker CLI | this action |', '| --- | --- | --- |', ...lines].join(
        '\n',
      )
    })
    .join('\n\n')
}

function cliText(answer: CliAnswer | undefined): string {
  if (answer === undefined) return 'not tried'
  const { code, seconds } = answer
  const after = `after ${Math.max(1, Math.round(seconds))} s`
  if (code === undefined) return `no answer within ${Math.round(seconds)} s`
  return code === 0 ? `success (0) ${after}` : `failure (${code}) ${after}`
}
