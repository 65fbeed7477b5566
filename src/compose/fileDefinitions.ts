// The top-level `secrets` and `configs`; the files that they name are read here.
import { readExternal } from './external.ts'
import { placeAt, textAt, valueAt } from './fields.ts'
import { textMap } from './keyValues.ts'
import { type MapNode, quoted, shown } from './node.ts'
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
  if (definition.external) return definition
  if (definition.driver === '') return { ...definition, data: readData(reading, kind, key, place, map) }
  if (definition.file !== '') {
    const message = `the secret ${key} has both "driver" and "file", but a driver brings the content itself`
    reading.findings.error(placeAt(map, 'file'), message, 'Remove one of the two.')
  }
  return definition
}

function readData(reading: Reading, kind: string, key: string, place: Place, map: MapNode): Uint8Array | undefined {
  const node = valueAt(map, 'file')
  if (node?.kind !== 'string' || node.value === '') {
    const remedy = `Add \`file:\` with a path, or \`external: true\` if the ${kind} exists in the swarm.`
    // Keys that would bring the content are refused by themselves.
    if (!map.entries.has('content') && !map.entries.has('environment')) {
      reading.findings.error(place, `the ${kind} ${quoted(key)} has no content: it names no file`, remedy)
    }
    return undefined
  }
  const file = reading.readFile(resolvePath(reading.folder, node.value))
  if (file.content !== undefined) return file.content
  reading.findings.error(node.place, `the file ${shown(node)} of the ${kind} ${key} ${file.reason}`, file.remedy)
  return undefined
}
