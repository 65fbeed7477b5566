// The top-level `secrets` and `configs`; the files that they name are read here.
import { readExternal } from './external.ts'
import { placeAt, textAt, valueAt } from './fields.ts'
import { hiddenVariable } from './interpolate.ts'
import { textMap } from './keyValues.ts'
import { type MapNode, quoted, type StringNode, shown } from './node.ts'
import { resolvePath } from './paths.ts'
import type { Reading } from './reading.ts'
import { type Place, positionOf } from './source.ts'
import type { FileDefinition } from './stack.ts'

export function readFileDefinition(
  reading: Reading,
  kind: 'secret' | 'config',
  key: string,
  place: Place,
  map: MapNode,
): FileDefinition {
  const definition: FileDefinition = {
    ...readExternal(reading, kind, key, map),
    file: textAt(map, 'file'),
    labels: textMap(valueAt(map, 'labels')),
    driver: textAt(map, 'driver'),
    driverOpts: textMap(valueAt(map, 'driver_opts')),
    templateDriver: textAt(map, 'template_driver'),
    place: positionOf(place),
  }
  const given = sources.filter(
    (source) => textAt(map, source) !== '' || (source === 'content' && map.entries.has(source)),
  )
  if (definition.external) {
    // With `file`, docker passes over it, as something that a file of another environment says.
    for (const source of given.filter((source) => source !== 'file')) {
      const message = `the ${kind} ${key} is external, so "${source}" of it can not be set here`
      reading.findings.error(placeAt(map, source), message, `Remove \`${source}\`, or \`external\`.`)
    }
    return definition
  }
  const [first, second] = [...(definition.driver === '' ? [] : ['driver']), ...given]
  if (second !== undefined) {
    const why = first === 'driver' ? 'a driver brings the content itself' : 'there can be one content only'
    const message = `the ${kind} ${key} has both "${first}" and "${second}", but ${why}`
    reading.findings.error(placeAt(map, second), message, 'Remove one of the two.')
    return definition
  }
  if (definition.driver !== '' || (kind === 'secret' && reading.secretsAreThere)) return definition
  return { ...definition, data: readData(reading, kind, key, place, map) }
}

/** Where content can come from; all but the first are the Compose Specification's. */
const sources = ['file', 'content', 'environment'] as const

function readData(reading: Reading, kind: string, key: string, place: Place, map: MapNode): Uint8Array | undefined {
  const content = valueAt(map, 'content')
  if (content?.kind === 'string') return Buffer.from(content.value)
  const variable = valueAt(map, 'environment')
  if (variable?.kind === 'string') return variableOf(reading, `${kind} ${key}`, variable)
  const node = valueAt(map, 'file')
  if (node?.kind !== 'string' || node.value === '') {
    const brings = kind === 'secret' ? '`file:` with a path' : '`file:` with a path, or `content:`'
    const remedy = `Add ${brings}, or \`external: true\` if the ${kind} exists in the swarm.`
    reading.findings.error(place, `the ${kind} ${quoted(key)} has no content: it names no file`, remedy)
    return undefined
  }
  const file = reading.readFile(resolvePath(reading.folder, node.value))
  if (file.content !== undefined) {
    if (kind === 'config') reading.files.set(file.shown, file.content)
    return file.content
  }
  reading.findings.error(node.place, `the file ${shown(node)} of the ${kind} ${key} ${file.reason}`, file.remedy)
  return undefined
}

/** Swarm stores nothing empty, so a variable without a value is a mistake at once. */
function variableOf({ variables, findings }: Reading, owner: string, node: StringNode): Uint8Array | undefined {
  if (variables.isHidden(node.value)) {
    findings.error(node.place, ...hiddenVariable(node.value))
    return undefined
  }
  const value = variables.get(node.value)
  if (value !== undefined && value !== '') return Buffer.from(value)
  findings.error(
    node.place,
    `the variable ${shown(node)}, which is the content of the ${owner}, is ${value === '' ? 'empty' : 'not set'}`,
    "Give it in `secrets`, `variables`, an `env-file` or the step's `env`.",
  )
  return undefined
}
