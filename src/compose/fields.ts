// Reading single keys of a mapping. What is of another type than asked reads as absent: validation has reported it.
import type { Findings } from './findings.ts'
import { goFloat } from './goFloat.ts'
import { exact } from './integer.ts'
import { type MapNode, type Node, type StringNode, shown } from './node.ts'
import type { Place } from './source.ts'
import type { Integer } from './stack.ts'

export function valueAt(map: MapNode | undefined, key: string): Node | undefined {
  return map?.entries.get(key)?.value
}

export function mapAt(map: MapNode | undefined, key: string): MapNode | undefined {
  const value = valueAt(map, key)
  return value?.kind === 'map' ? value : undefined
}

export function itemsAt(map: MapNode | undefined, key: string): readonly Node[] {
  const value = valueAt(map, key)
  return value?.kind === 'list' ? value.items : []
}

export function textAt(map: MapNode | undefined, key: string): string {
  const value = valueAt(map, key)
  return value?.kind === 'string' ? value.value : ''
}

export function flagAt(map: MapNode | undefined, key: string): boolean {
  const value = valueAt(map, key)
  return value?.kind === 'boolean' && value.value
}

export function optionalFlagAt(map: MapNode | undefined, key: string): boolean | undefined {
  const value = valueAt(map, key)
  return value?.kind === 'boolean' ? value.value : undefined
}

export function numberAt(map: MapNode | undefined, key: string): number {
  const value = valueAt(map, key)
  return value?.kind === 'integer' || value?.kind === 'float' ? Number(value.value) : 0
}

/** The texts of a list, or the one text that stands for a list of one. */
export function textsAt(map: MapNode | undefined, key: string): StringNode[] {
  const value = valueAt(map, key)
  if (value?.kind === 'string') return [value]
  return itemsAt(map, key).filter((item) => item.kind === 'string')
}

export function stringsAt(map: MapNode | undefined, key: string): string[] {
  return textsAt(map, key).map(({ value }) => value)
}

/** A whole number between bounds (0 and 2^63-1 where none are given); fractions are cut off, as docker does. */
export function integerAt(
  map: MapNode | undefined,
  key: string,
  findings: Findings,
  [least, most]: readonly [bigint, bigint] = [0n, 2n ** 63n - 1n],
): Integer | undefined {
  const node = valueAt(map, key)
  if (node?.kind !== 'integer' && node?.kind !== 'float') return undefined
  const value = node.kind === 'integer' ? node.value : BigInt(Math.trunc(node.value))
  if (value >= least && value <= most) return exact(value)
  findings.error(node.place, `${key} must be between ${least} and ${most}, not ${shown(node)}`, 'Correct the number.')
  return undefined
}

/** A scalar as the docker CLI prints it into labels, options and environment values; null stays null. */
export function printed(node: Node): string | null {
  switch (node.kind) {
    case 'string':
    case 'timestamp':
      return node.value
    case 'integer':
    case 'boolean':
      return String(node.value)
    case 'float':
      return goFloat(node.value)
    default:
      return null
  }
}

export function placeAt(map: MapNode, key: string): Place {
  const entry = map.entries.get(key)
  if (entry === undefined) return map.place
  return entry.value.kind === 'map' || entry.value.kind === 'list' || entry.value.kind === 'null'
    ? entry.keyPlace
    : entry.value.place
}
