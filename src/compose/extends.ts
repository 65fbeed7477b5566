// `extends`: a service that begins as another one, of the same file or of another. Source: the Compose Specification.
import { posix } from 'node:path'
import { mapAt, placeAt, valueAt } from './fields.ts'
import { forgetExtended } from './forget.ts'
import { interpolate } from './interpolate.ts'
import { mergeService } from './mergeService.ts'
import { nearest } from './nearest.ts'
import { type Entry, type MapNode, quoted, type StringNode, shown } from './node.ts'
import { type Extended, type Loading, type OpenedFile, openFile } from './openFile.ts'
import { resolvePath } from './paths.ts'
import type { Reading } from './reading.ts'
import { readService } from './service.ts'
import type { Place } from './source.ts'
import type { Service } from './stack.ts'
import { validate } from './validate.ts'

const deepest = 50

/** A file, interpolated and validated, in which services are looked up. */
export interface FileInReading {
  readonly loading: Loading
  readonly reading: Reading
  readonly file: OpenedFile
  readonly root: MapNode
}

/** The service with everything that it extends. `laters`: the services that extend it, which go before it. */
export function readExtending(
  from: FileInReading,
  name: string,
  place: Place,
  map: MapNode,
  laters: readonly MapNode[] = [],
  chain: readonly string[] = [],
): Service {
  const { findings } = from.reading
  const own = readService(from.reading, name, place, laters.reduce(forgetExtended, map))
  const target = targetOf(map)
  if (target === undefined) return own
  const link = `${from.file.absolute} ${name}`
  if (from.loading.tooDeep.has(link)) return own
  if (chain.includes(link) || chain.length === deepest) {
    for (const each of chain) from.loading.tooDeep.add(each)
    const message = chain.includes(link)
      ? `the service ${name} extends itself`
      : `services extend each other more than ${deepest} deep`
    findings.error(placeAt(map, 'extends'), message, 'Remove one `extends` on the way.')
    return own
  }
  const found = target.file === undefined ? from : inOtherFile(from, target.file, target.service.value)
  if (found === undefined) return own
  const entry = mapAt(found.root, 'services')?.entries.get(target.service.value)
  if (entry?.value.kind !== 'map') {
    noService(from, found, target.service)
    return own
  }
  const next = [...laters, map]
  const base = readExtending(found, target.service.value, entry.keyPlace, entry.value, next, [...chain, link])
  const merged = mergeService({ ...base, name }, own, findings)
  return {
    ...merged,
    places: { ...merged.places, service: own.places.service },
    // Unlike in docker's merge of files, an empty value is one.
    environment: new Map([...base.environment, ...own.environment]),
  }
}

interface Target {
  readonly service: StringNode
  readonly file: StringNode | undefined
}

function targetOf(map: MapNode): Target | undefined {
  const value = valueAt(map, 'extends')
  if (value?.kind === 'string') return { service: value, file: undefined }
  if (value?.kind !== 'map') return undefined
  const [service, file] = [valueAt(value, 'service'), valueAt(value, 'file')]
  return service?.kind === 'string' ? { service, file: file?.kind === 'string' ? file : undefined } : undefined
}

/** Of another file only the service is interpolated and validated that is wanted, with paths from that file's folder. */
function inOtherFile(
  { loading, reading }: FileInReading,
  node: StringNode,
  service: string,
): FileInReading | undefined {
  const { findings, variables, folder } = reading
  const path = resolvePath(folder, node.value)
  const key = `${path} ${service}`
  const earlier = loading.extended.get(variables)?.get(key)
  if (earlier !== undefined) {
    return { loading, reading: { ...reading, ...earlier.place }, file: earlier.file, root: earlier.root }
  }
  const file = openFile(loading, path, ({ reason, remedy }) => {
    findings.error(node.place, `the extended file ${shown(node)} ${reason}`, remedy)
  })
  if (file === undefined) return undefined
  const root = interpolate({ variables, findings, warned: loading.warned }, onlyService(file.root, service))
  if (root?.kind !== 'map') return undefined
  loading.roots.push(root)
  validate(root, file.version, findings)
  const place = { folder: posix.dirname(file.absolute), version: file.version }
  const known = loading.extended.get(variables) ?? new Map<string, Extended>()
  loading.extended.set(variables, known.set(key, { file, root, place }))
  return { loading, reading: { ...reading, ...place }, file, root }
}

/** The root with the service, and with those of the same file that it extends. */
function onlyService(root: MapNode, name: string): MapNode {
  const services = mapAt(root, 'services')
  const kept = new Map<string, Entry>()
  let next: string | undefined = name
  while (next !== undefined && !kept.has(next)) {
    const entry: Entry | undefined = services?.entries.get(next)
    if (entry === undefined) break
    kept.set(next, entry)
    const target: Target | undefined = entry.value.kind === 'map' ? targetOf(entry.value) : undefined
    next = target?.file === undefined ? target?.service.value : undefined
  }
  const place = services?.place ?? root.place
  return {
    kind: 'map',
    entries: new Map([['services', { keyPlace: place, value: { kind: 'map', entries: kept, place } }]]),
    place: root.place,
  }
}

function noService({ reading }: FileInReading, { file }: FileInReading, node: StringNode): void {
  const names = mapAt(file.root, 'services')?.entries.keys() ?? []
  const near = nearest(node.value, names)
  const hint = near === undefined ? 'Correct the name.' : `Did you mean ${quoted(near)}?`
  reading.findings.error(node.place, `there is no service ${shown(node)} in ${file.source.file} to extend`, hint)
}
