// Collects what is wrong with the manifest's files, so that one run reports all of it.
import type { FailureCode, Position, Problem } from '../errors.ts'
import { excerptOf, type Place, positionOf } from './source.ts'

/** Beyond this many errors, or warnings, the rest tells nobody anything. */
const most = 1000

export interface Findings {
  /** `message`: one sentence, what is wrong and why; `remedy`: one sentence, what to do. */
  error(place: Place | undefined, message: string, remedy: string, code?: FailureCode): void
  warning(place: Place | undefined, message: string, remedy: string): void
  /** In a file that is no manifest: its text may be a secret, so no line of it is shown. */
  errorAt(position: Position, message: string, remedy: string): void
  /** Where only the position is left of a place. */
  warningAt(position: Position, message: string, remedy: string): void
  hasErrors(): boolean
  /** Whether errors that are found from now on are left out. */
  isFull(): boolean
  /** Each once, by file (in the order given, others last), line and column. */
  problems(): readonly Problem[]
}

/** `files`: as shown in positions, in the order in which their problems shall come. */
export function makeFindings(files: readonly string[] = []): Findings {
  const found = new Map<string, Problem>()
  // Counted apart: a thousand warnings must not hide the error after them.
  const count = { error: 0, warning: 0 }
  function add(problem: Omit<Problem, 'excerpt'>, excerpt: () => string | undefined): void {
    const { severity, position, message, remedy } = problem
    // What an anchor holds is checked at every use of it, under other names of services, and said once.
    const what = position === undefined ? message : (remedy ?? message)
    const key = `${severity} ${position?.file}:${position?.line}:${position?.column} ${what}`
    if (found.has(key) || count[severity] >= most) return
    count[severity]++
    found.set(key, { ...problem, excerpt: excerpt() })
  }
  function addAt(
    severity: Problem['severity'],
    code: FailureCode,
    place: Place | undefined,
    message: string,
    remedy: string,
  ): void {
    add({ severity, code, message, position: place && positionOf(place), remedy }, () => place && excerptOf(place))
  }
  return {
    error: (place, message, remedy, code = 'manifest') => addAt('error', code, place, message, remedy),
    warning: (place, message, remedy) => addAt('warning', 'manifest', place, message, remedy),
    errorAt: (position, message, remedy) =>
      add({ severity: 'error', code: 'manifest', message, position, remedy }, () => undefined),
    warningAt: (position, message, remedy) =>
      add({ severity: 'warning', code: 'manifest', message, position, remedy }, () => undefined),
    hasErrors: () => count.error > 0,
    isFull: () => count.error >= most,
    problems: () => [...found.values()].sort((left, right) => inOrder(files, left.position, right.position)),
  }
}

/** What has no position is about a whole file, and comes first. */
function inOrder(files: readonly string[], left: Position | undefined, right: Position | undefined): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined)
  const rank = ({ file }: Position): number => (files.includes(file) ? files.indexOf(file) : files.length)
  const byFile = rank(left) - rank(right) || (left.file === right.file ? 0 : left.file < right.file ? -1 : 1)
  return byFile || left.line - right.line || left.column - right.column
}
