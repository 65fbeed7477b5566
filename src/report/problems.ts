import type { Position, Problem } from '../errors.ts'
import { cleanLine, cleanLines } from './untrusted.ts'

/** `docker-stack.yml:12:5`, as editors and GitHub's log take it. */
export function placeText(position: Position): string {
  return `${cleanLine(position.file, 200)}:${position.line}:${position.column}`
}

/**
 * A finding on several lines: place and message, the excerpt, the remedy.
 *
 *     docker-stack.yml:12:5: services.web has no key "imagee"
 *         imagee: nginx
 *         ^
 *     → Write `image`.
 */
export function problemText(problem: Pick<Problem, 'message' | 'position' | 'excerpt' | 'remedy'>): string {
  const place = problem.position === undefined ? '' : `${placeText(problem.position)}: `
  const excerpt = problem.excerpt === undefined ? [] : cleanLines(problem.excerpt, 5, 200)
  return [
    `${place}${cleanLine(problem.message, 2000)}`,
    ...excerpt.map((line) => `    ${line}`),
    ...(problem.remedy === undefined ? [] : [`→ ${cleanLine(problem.remedy, 1000)}`]),
  ].join('\n')
}
