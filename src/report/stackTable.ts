import { codeSpan, markdownText, table } from './markdown.ts'
import type { StackOutcome } from './outcome.ts'
import { cleanLine } from './untrusted.ts'

const HEAD = ['Stack', 'Services', 'Status', 'Revision', 'Owner', 'Health']
const MOST_ROWS = 300

/** The stacks for the log: columns one below the other, a line a stack. */
export function stackLines(stacks: readonly StackOutcome[]): readonly string[] {
  if (stacks.length === 0) return ['There is no stack on this swarm.']
  const rows = [
    HEAD,
    ...stacks
      .slice(0, MOST_ROWS)
      .map((stack) => [
        cleanLine(stack.name, 100),
        `${stack.services}`,
        stack.status,
        revisionText(stack),
        stack.owner === '' ? '-' : cleanLine(stack.owner, 100),
        cleanLine(stack.health, 300),
      ]),
  ]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [...lines, ...moreOf(stacks)]
}

/** The same in Markdown. */
export function stackTable(stacks: readonly StackOutcome[]): readonly string[] {
  if (stacks.length === 0) return ['There is no stack on this swarm.']
  const icons = { healthy: '✅', progressing: '⏳', degraded: '❌', absent: '▫️' }
  const rows = stacks
    .slice(0, MOST_ROWS)
    .map((stack) => [
      codeSpan(stack.name),
      `${stack.services}`,
      `${icons[stack.status]} ${stack.status}`,
      markdownText(revisionText(stack), 60),
      codeSpan(stack.owner),
      markdownText(stack.health, 300),
    ])
  return [table(HEAD, rows), ...moreOf(stacks)]
}

// --- Internal helpers ---

/** `7`, or `7 (failed)` where its record says so. */
function revisionText({ revision, release }: StackOutcome): string {
  if (revision === undefined) return '-'
  return release === 'deployed' || release === '' ? `${revision}` : `${revision} (${cleanLine(release ?? '', 40)})`
}

function moreOf({ length }: readonly StackOutcome[]): readonly string[] {
  return length > MOST_ROWS ? [`… and ${length - MOST_ROWS} more`] : []
}
