import { failureRows } from './matrixFailures.ts'
import { jobRows } from './matrixJobs.ts'
import { isFine, type MatrixRow } from './matrixRow.ts'
import { updateRows } from './matrixUpdates.ts'

/** So long (s) the CLI may take. */
export const PATIENCE = 60

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

/** What docs/convergence.md has of both: what the docker CLI answered when it was tried, and what this action has to answer. */
export function matrixTables(answers: Readonly<Record<string, CliAnswer>>): string {
  const tables = Object.entries(matrixSections).map(([title, rows]) => {
    const lines = rows.map((row) => `| ${row.what} | ${cliText(row, answers[row.label])} | ${actionText(row)} |`)
    return [`### ${title}`, '', '| the stack | docker CLI | this action |', '| --- | --- | --- |', ...lines].join('\n')
  })
  return [countText(answers), ...tables].join('\n\n')
}

// --- Internal helpers ---

/** In how many rows the CLI is wrong. */
function countText(answers: Readonly<Record<string, CliAnswer>>): string {
  const tried = Object.values(matrixSections)
    .flat()
    .flatMap((row) => {
      const answer = answers[row.label]
      return answer === undefined ? [] : [{ row, answer }]
    })
  const bad = tried.filter(({ row }) => !isFine(row))
  const good = tried.filter(({ row }) => isFine(row))
  const count = (rows: typeof tried, is: (code: number | undefined) => boolean) =>
    rows.filter(({ answer }) => is(answer.code)).length
  const isSilent = (code: number | undefined) => code === undefined
  const isFailure = (code: number | undefined) => code !== undefined && code !== 0
  return [
    `Of the ${bad.length} that do not come to run as written, the CLI calls ${count(bad, (code) => code === 0)} a success, ${count(bad, isFailure)} a failure,`,
    `and of ${count(bad, isSilent)} it says nothing within ${PATIENCE} s. Of the ${good.length} that do, it calls ${count(good, isFailure)} a failure,`,
    `and of ${count(good, isSilent)} it says nothing.`,
  ].join('\n')
}

function cliText(row: MatrixRow, answer: CliAnswer | undefined): string {
  if (answer === undefined) return 'not tried'
  const { code, seconds } = answer
  if (code === undefined) return `no answer within ${PATIENCE} s`
  const word = code === 0 ? 'success' : 'failure'
  const isWrong = (code === 0) !== isFine(row)
  return `${isWrong ? `**${word}**` : word} (${code}) after ${Math.max(1, Math.round(seconds))} s`
}

function actionText({ expected: { status, reason } }: MatrixRow): string {
  return reason === undefined ? `\`${status}\`` : `\`${status}\`, \`${reason}\``
}
