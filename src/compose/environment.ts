// What a service's containers get as environment: env files first, then `environment`, then the step's variables for
// keys without a value. Source: docker/cli cli/compose/loader, resolveEnvironment.
import { decodeText } from './decodeText.ts'
import { parseEnvFile } from './envFile.ts'
import { valueAt } from './fields.ts'
import type { Findings } from './findings.ts'
import { hiddenVariable } from './interpolate.ts'
import { type KeyValue, keyValues } from './keyValues.ts'
import { type MapNode, type StringNode, shown } from './node.ts'
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
  for (const pair of pairs) {
    const { key, value } = pair
    if (value !== null && value !== '') environment.set(key, value)
    else if (variables.isHidden(key)) refuse(findings, pair, ...hiddenVariable(key))
    else environment.set(key, variables.get(key) ?? value)
  }
}

/** At the pair's own line, were it one of another file. */
function refuse(
  findings: Findings,
  { place, inFile }: Pick<KeyValue, 'place' | 'inFile'>,
  message: string,
  remedy: string,
): void {
  if (inFile === undefined) findings.error(place, message, remedy)
  else findings.errorAt(inFile.position, `the ${inFile.what}, line ${inFile.position.line}: ${message}`, remedy)
}

interface EnvFileEntry {
  readonly node: StringNode
  readonly required: boolean
}

/** One path, or a list of paths and of mappings with `path` and `required`; they are read alike. */
function envFileEntries(service: MapNode): EnvFileEntry[] {
  const value = valueAt(service, 'env_file')
  const items = value?.kind === 'list' ? value.items : value === undefined ? [] : [value]
  return items.flatMap((item) => {
    if (item.kind === 'string') return { node: item, required: true }
    const path = item.kind === 'map' ? valueAt(item, 'path') : undefined
    const optional = item.kind === 'map' ? valueAt(item, 'required') : undefined
    if (path?.kind !== 'string') return []
    return { node: path, required: optional?.kind !== 'boolean' || optional.value }
  })
}

function envFiles(reading: Reading, service: MapNode): KeyValue[] {
  const { findings, variables } = reading
  return envFileEntries(service).flatMap(({ node, required }) =>
    readEnvFile(reading, 'env file', node, required).flatMap((pair) => {
      const { key, value } = pair
      if (value !== null) return [pair]
      if (variables.isHidden(key)) refuse(findings, pair, ...hiddenVariable(key))
      const found = variables.get(key)
      return found === undefined ? [] : [{ ...pair, value: found }]
    }),
  )
}

/** The lines of the file that the node names. */
export function readEnvFile(reading: Reading, what: string, node: StringNode, required: boolean): KeyValue[] {
  const { findings } = reading
  const { place } = node
  const file = reading.readFile(resolvePath(reading.folder, node.value))
  if (file.content === undefined) {
    if (file.missing === true && !required) return []
    findings.error(place, `the ${what} ${shown(node)} ${file.reason}`, file.remedy)
    return []
  }
  const text = decodeText(file.content)
  if (typeof text !== 'string') {
    const { message, remedy, line, column } = text
    findings.errorAt(
      { file: file.shown, line, column },
      `the ${what} ${shown(node)} can not be used: ${message}`,
      remedy,
    )
    return []
  }
  const { lines, errors } = parseEnvFile(text)
  const at = (line: number) => ({
    place,
    inFile: { what: `${what} ${shown(node)}`, position: { file: file.shown, line, column: 1 } },
  })
  for (const { line, message } of errors) {
    refuse(findings, at(line), message, 'Write KEY=value, without "export" and blanks.')
  }
  return lines.map(({ line, key, value }) => ({ key, value, ...at(line) }))
}
