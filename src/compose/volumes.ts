// The `volumes` of a service, short and long forms.
import { flagAt, integerAt, itemsAt, mapAt, textAt, valueAt } from './fields.ts'
import { textMap } from './keyValues.ts'
import { type MapNode, shown } from './node.ts'
import { resolveBindSource } from './paths.ts'
import type { Reading } from './reading.ts'
import { bytesAt } from './resources.ts'
import { parseShortVolume, type ShortVolume } from './shortVolume.ts'
import { type Place, positionOf } from './source.ts'
import type { Integer, ServiceVolume } from './stack.ts'

export function readVolumes(reading: Reading, service: MapNode): ServiceVolume[] {
  return itemsAt(service, 'volumes').flatMap((item) => {
    if (item.kind === 'map') return place(reading, longVolume(reading, item), item.place)
    if (item.kind !== 'string') return []
    const parsed = parseShortVolume(item.value)
    if (typeof parsed !== 'string') return place(reading, parsed, item.place)
    reading.findings.error(
      item.place,
      `${shown(item)} is no volume: ${parsed}`,
      'Write target, source:target or source:target:options.',
    )
    return []
  })
}

function longVolume(reading: Reading, map: MapNode): ShortVolume {
  const [bind, volume, tmpfs] = [mapAt(map, 'bind'), mapAt(map, 'volume'), mapAt(map, 'tmpfs')]
  const image = mapAt(map, 'image')
  return {
    type: textAt(map, 'type'),
    source: textAt(map, 'source'),
    target: textAt(map, 'target'),
    readOnly: flagAt(map, 'read_only'),
    consistency: textAt(map, 'consistency'),
    ...(bind && { bind: { propagation: textAt(bind, 'propagation') } }),
    ...(volume && {
      volume: {
        nocopy: flagAt(volume, 'nocopy'),
        subpath: textAt(volume, 'subpath'),
        ...(volume.entries.has('labels') && { labels: textMap(valueAt(volume, 'labels')) }),
      },
    }),
    ...(tmpfs && { tmpfs: readTmpfs(reading, tmpfs) }),
    ...(image && { image: { subpath: textAt(image, 'subpath') } }),
    ...(mapAt(map, 'cluster') && { cluster: {} }),
  }
}

/** A size as text, and a mode, which docker loses, are the Compose Specification's. */
function readTmpfs(reading: Reading, map: MapNode): NonNullable<ServiceVolume['tmpfs']> {
  const isText = valueAt(map, 'size')?.kind === 'string'
  const size = isText ? bytesAt(reading, map, 'size') : (integerAt(map, 'size', reading.findings) ?? 0)
  const mode = modeAt(reading, map)
  return { size, ...(mode !== undefined && { mode }) }
}

/** A text is octal. Docker takes anything for a mode, so what is none is a warning only. */
function modeAt({ findings }: Reading, map: MapNode): Integer | undefined {
  const node = valueAt(map, 'mode')
  if (node === undefined || node.kind === 'integer') return integerAt(map, 'mode', findings, [0n, 2n ** 32n - 1n])
  if (node.kind === 'string' && /^0*[0-7]{1,4}$/.test(node.value)) return Number.parseInt(node.value, 8)
  findings.warning(node.place, `the mode ${shown(node)} is ignored: it is no file mode`, 'Write it like 0o1777.')
  return undefined
}

/** Makes a relative bind source a path of the runner, as docker does, and a leading `~` the home folder. */
function place(reading: Reading, volume: ShortVolume, at: Place): ServiceVolume {
  const found = { ...volume, place: positionOf(at) }
  if (volume.type !== 'bind') return found
  const written = volume.source
  if (written === '') {
    reading.findings.error(at, 'a bind mount needs a source', 'Add `source:`, a path of the nodes.')
    return found
  }
  if (written.startsWith('~') && reading.home === undefined) {
    reading.findings.warning(
      at,
      'the "~" of the source stays as it is, because HOME is not set',
      'Write the path in full.',
    )
  }
  const expanded = written.startsWith('~') && reading.home !== undefined ? reading.home + written.slice(1) : written
  const source = resolveBindSource(reading.folder, expanded)
  return { ...found, source, ...(source !== written && { writtenSource: written }) }
}
