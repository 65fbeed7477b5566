// What a service's containers get as environment: env files first, then `environment`, then the step's variables for
// keys without a value. Source: docker/cli cli/compose/loader, resolveEnvironment.
import { decodeText } from './decodeText.ts'
import { parseEnvFile } from './envFile.ts'
import { textsAt, valueAt } from './fields.ts'
import { hiddenVariable } from './interpolate.ts'
import { type KeyValue, keyValues } from './keyValues.ts'
import { type MapNode, shown } from './node.ts'
import { resolvePath } from './paths.ts'
import type { Reading } from './reading.ts'

/** Null is a key without a value anywhere: docker sends the bare key. */
export function resolveEnvironment(reading: Reading, service: MapNode): Map<string, string | null> {
  const environment = new Map<string, string | null>()
  const fromFiles = new Map<string, KeyValue>()
  for (const pair of envFiles(reading, service)) fromFiles.set(pair.key, pair)
  apply(reading, environment, fromFiles.values())
  const own = new Map<string, KeyValue>()
  for (const pair of keyValues(valueAt(service, 'environment'))) own.set(pair.key, pair)
  apply(reading, environment, own.values())
  return environment
}

/** A null or empty value picks up the step's variable of that name, where there is one. */
function apply(
  { variables, findings }: Reading,
  environment: Map<string, string | null>,
  pairs: Iterable<KeyValue>,
): void {
  for (const { key, value, place } of pairs) {
    if (value !== null && value !== '') environment.set(key, value)
    else if (variables.isHidden(key)) findings.error(place, ...hiddenVariable(key))
    else environment.set(key, variables.get(key) ?? value)
  }
}

function envFiles(reading: Reading, service: MapNode): KeyValue[] {
  const { findings, variables } = reading
  return textsAt(service, 'env_file').flatMap((node) => {
    const { place } = node
    const file = reading.readFile(resolvePath(reading.folder, node.value))
    if (file.content === undefined) {
      findings.error(place, `the env file ${shown(node)} ${file.reason}`, file.remedy)
      return []
    }
    const text = decodeText(file.content)
    if (typeof text !== 'string') {
      findings.error(place, `the env file ${shown(node)} can not be used: ${text.message}`, text.remedy)
      return []
    }
    const { lines, errors } = parseEnvFile(text)
    for (const { line, message } of errors) {
      findings.error(
        place,
        `the env file ${shown(node)}, line ${line}: ${message}`,
        'Write KEY=value, without "export" and blanks.',
      )
    }
    return lines.flatMap(({ key, value }) => {
      if (value !== null) return [{ key, value, place }]
      if (variables.isHidden(key)) findings.error(place, ...hiddenVariable(key))
      const found = variables.get(key)
      return found === undefined ? [] : [{ key, value: found, place }]
    })
  })
}
