import type { Service } from '../compose/stack.ts'
import type { Position, Problem } from '../errors.ts'

/** Takes every problem as it is found: the conversion goes on, so that one run names them all. */
export type Report = (problem: Problem) => void

/** Something that no engine would accept, or that docker refuses. */
export function manifestError(position: Position, message: string, remedy: string): Problem {
  return { severity: 'error', code: 'manifest', message, position, remedy }
}

/** Something that deploys, and then is probably not what was meant. */
export function manifestWarning(position: Position, message: string, remedy: string): Problem {
  return { severity: 'warning', code: 'manifest', message, position, remedy }
}

/** Where a key of a service stands: `deploy.mode`, else what contains it (`deploy`), else the service itself. */
export function placeOf(service: Service, key: string): Position {
  for (let path = key; path !== ''; path = path.slice(0, Math.max(path.lastIndexOf('.'), 0))) {
    const place = service.places[path]
    if (place !== undefined) return place
  }
  return service.places.service
}

/** ` (did you mean "web"?)`, where one of the names is a slip of the pen away from `wanted`; else an empty text. */
export function didYouMean(wanted: string, names: Iterable<string>): string {
  let nearest: string | undefined
  let distance = Math.min(2, Math.floor(wanted.length / 2)) + 1
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) >= distance) continue
    const found = editDistance(wanted.toLowerCase(), name.toLowerCase())
    if (found >= distance) continue
    nearest = name
    distance = found
  }
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`
}

/** Levenshtein's, row by row. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let line = 1; line <= from.length; line++) {
    const next = [line]
    for (let column = 1; column <= to.length; column++) {
      const change = from[line - 1] === to[column - 1] ? 0 : 1
      next.push(Math.min((row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (row[column - 1] ?? 0) + change))
    }
    row = next
  }
  return row[to.length] ?? 0
}
