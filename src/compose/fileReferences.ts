// The `secrets` and `configs` of a service.
import { integerAt, itemsAt, textAt, valueAt } from './fields.ts'
import type { Findings } from './findings.ts'
import { type MapNode, shown } from './node.ts'
import type { Reading } from './reading.ts'
import { positionOf } from './source.ts'
import type { FileReference, Integer } from './stack.ts'

export function readReferences({ findings }: Reading, service: MapNode, key: 'secrets' | 'configs'): FileReference[] {
  return itemsAt(service, key).flatMap((item) => {
    const place = positionOf(item.place)
    if (item.kind === 'string') return { source: item.value, target: '', uid: '', gid: '', place }
    if (item.kind !== 'map') return []
    return {
      source: textAt(item, 'source'),
      target: textAt(item, 'target'),
      uid: textAt(item, 'uid'),
      gid: textAt(item, 'gid'),
      mode: modeAt(item, findings),
      place,
    }
  })
}

/** A text is the Compose Specification's form, and octal. */
function modeAt(map: MapNode, findings: Findings): Integer | undefined {
  const node = valueAt(map, 'mode')
  if (node?.kind !== 'string') return integerAt(map, 'mode', findings, [0n, 2n ** 32n - 1n])
  if (/^0*[0-7]{1,4}$/.test(node.value)) return Number.parseInt(node.value, 8)
  findings.error(node.place, `mode: ${shown(node)} is no file mode`, 'Write it like "0440".')
  return undefined
}
