// The labels of a service's containers: those of files first, then annotations, then its own.
import { readEnvFile } from './environment.ts'
import { placeAt, textsAt, valueAt } from './fields.ts'
import { textMap } from './keyValues.ts'
import type { MapNode } from './node.ts'
import type { Reading } from './reading.ts'

export function readLabels(reading: Reading, service: MapNode): Map<string, string> {
  const fromFiles = textsAt(service, 'label_file').flatMap((node) => readEnvFile(reading, 'label file', node, true))
  const annotations = textMap(valueAt(service, 'annotations'))
  if (annotations.size > 0) {
    reading.findings.warning(
      placeAt(service, 'annotations'),
      '"annotations" become labels of the containers: Swarm has no annotations',
      'Write them into `labels`.',
    )
  }
  return new Map([
    ...fromFiles.map(({ key, value }) => [key, value ?? ''] as const),
    ...annotations,
    ...textMap(valueAt(service, 'labels')),
  ])
}
