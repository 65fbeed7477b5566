import { stringsAt, valueAt } from './fields.ts'
import { type MapNode, shown } from './node.ts'
import type { Reading } from './reading.ts'
import { shellWords } from './shellWords.ts'

/** `command` and `entrypoint`: a list as it is, a text split into words. */
export function readCommand({ findings }: Reading, service: MapNode, key: 'command' | 'entrypoint'): string[] {
  const node = valueAt(service, key)
  if (node?.kind !== 'string') return stringsAt(service, key)
  const words = shellWords(node.value)
  if (typeof words !== 'string') return words
  findings.error(
    node.place,
    `the ${key} ${shown(node)} can not be split into words: ${words}`,
    'Correct the quotes, or write a list.',
  )
  return []
}
