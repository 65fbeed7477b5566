import { nearest } from '../compose/nearest.ts'
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

/** Among more names than people write, a search for each mistake would take minutes. */
const mostNames = 200

/** ` (did you mean "web"?)`, where one of the names is a slip of the pen away from `wanted`; else an empty text. */
export function didYouMean(wanted: string, names: Iterable<string>): string {
  const known = [...names]
  const near = known.length > mostNames ? undefined : nearest(wanted, known)
  return near === undefined ? '' : ` (did you mean "${near}"?)`
}
