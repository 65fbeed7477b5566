// What to say of a key that its place does not have.
import { nearest } from './nearest.ts'
import { rootRules } from './rootRules.ts'
import type { Rule } from './rule.ts'
import { refusedKey } from './specification.ts'

/** `pattern` is the path in the form of rules (`services.*.ports.[]`), `path` the one to show. */
export function unknownKey(
  key: string,
  path: string,
  pattern: string,
  rule: Rule,
): { message: string; remedy: string } {
  const shown = JSON.stringify(key.slice(0, 80))
  const where = path === '' ? 'at the top level' : `in ${path}`
  const refused = refusedKey(pattern, key)
  if (refused !== undefined) {
    return { message: `the key ${shown} is not supported ${where}: ${refused.why}`, remedy: refused.remedy }
  }
  const message = `there is no key ${shown} ${where}`
  const places = placesOf(key)
  if (places.length > 0) return { message, remedy: `It belongs ${places.join(' or ')}: check the indentation.` }
  const near = nearest(key, Object.keys(rule.keys ?? {}))
  if (near !== undefined) return { message, remedy: `Did you mean "${near}"?` }
  const known = Object.keys(rule.keys ?? {}).sort()
  const few = known.length > 0 && known.length <= 12
  return { message, remedy: few ? `Known keys here: ${known.join(', ')}.` : 'Remove it, or correct its name.' }
}

/** Where a key is at home, for those whose line is indented too far or too little. */
function placesOf(key: string): string[] {
  const service = rootRules.keys?.services?.others
  const deploy = service?.keys?.deploy
  const homes: readonly (readonly [string, Rule | undefined])[] = [
    ['at the top level', rootRules],
    ['directly under a service', service],
    ["under the service's `deploy`", deploy],
    ['under `deploy.resources.limits`', deploy?.keys?.resources?.keys?.limits],
    ['under `deploy.resources`', deploy?.keys?.resources],
    ['under `deploy.placement`', deploy?.keys?.placement],
    ["under the service's `healthcheck`", service?.keys?.healthcheck],
    ["under the service's `logging`", service?.keys?.logging],
  ]
  return homes.filter(([, rule]) => rule?.keys !== undefined && Object.hasOwn(rule.keys, key)).map(([text]) => text)
}
