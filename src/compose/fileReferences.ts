// The `secrets` and `configs` of a service.
import { integerAt, itemsAt, textAt } from './fields.ts'
import type { MapNode } from './node.ts'
import type { Reading } from './reading.ts'
import { positionOf } from './source.ts'
import type { FileReference } from './stack.ts'

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
      mode: integerAt(item, 'mode', findings, [0n, 2n ** 32n - 1n]),
      place,
    }
  })
}
