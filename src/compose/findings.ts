// Collects what is wrong with the manifest's files, so that one run reports all of it.
import type { FailureCode, Position, Problem } from '../errors.ts'
import { excerptOf, type Place, positionOf } from './source.ts'

/** Beyond this many problems the rest tells nobody anything. */
const most = 1000

export interface Findings {
  /** `message`: one sentence, what is wrong and why; `remedy`: one sentence, what to do. */
  error(place: Place | undefined, message: string, remedy?: string, code?: FailureCode): void
  warning(place: Place | undefined, message: string, remedy?: string): void
  /** Where only the position is left of a place. */
  warningAt(position: Position, message: string, remedy: string): void
  hasErrors(): boolean
  /** Each once, in the order of files and lines in which they were found. */
  problems(): readonly Problem[]
}

export function makeFindings(): Findings {
  const found = new Map<string, Problem>()
  let errors = false
  function add(problem: Omit<Problem, 'excerpt'>, excerpt: () => string | undefined): void {
    const { severity, position, message } = problem
    errors ||= severity === 'error'
    // What an anchor holds is checked at every use of it, and said once.
    const key = `${severity} ${position?.file}:${position?.line}:${position?.column} ${message}`
    if (found.has(key) || found.size >= most) return
    found.set(key, { ...problem, excerpt: excerpt() })
  }
  function addAt(
    severity: Problem['severity'],
    code: FailureCode,
    place: Place | undefined,
    message: string,
    remedy?: string,
  ): void {
    add({ severity, code, message, position: place && positionOf(place), remedy }, () => place && excerptOf(place))
  }
  return {
    error: (place, message, remedy, code = 'manifest') => addAt('error', code, place, message, remedy),
    warning: (place, message, remedy) => addAt('warning', 'manifest', place, message, remedy),
    warningAt: (position, message, remedy) =>
      add({ severity: 'warning', code: 'manifest', message, position, remedy }, () => undefined),
    hasErrors: () => errors,
    problems: () => [...found.values()],
  }
}
