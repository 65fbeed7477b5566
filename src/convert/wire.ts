// How Go's encoding/json treats what is empty: a member marked `omitempty` is absent when it is zero, "", false, or an empty
// list or map. Absent and empty mean the same to the Engine, but byte-equal requests are easier to compare and to trust.
import type { Labels } from '../swarm/common.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The object without its undefined members, in the same order. */
export function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>
}

/** Undefined for what Go's `omitempty` leaves out. */
export function nonEmpty<T extends string | number | bigint | boolean | readonly unknown[]>(
  value: T | undefined,
): T | undefined {
  const empty = Array.isArray(value) ? value.length === 0 : !value
  return empty ? undefined : value
}

/**
 * A text of the manifest as one of the words of the wire's type; undefined for none. Nothing is checked here: which words there are
 * is for the engine to say, and it refuses others.
 */
export function word<T extends string>(text: string): T | undefined {
  return nonEmpty(text as T)
}

/** Byte order of the UTF-8 forms, Go's order of strings, which UTF-16 would break above U+D7FF. */
export function byteOrder(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    if (left.charCodeAt(at) === right.charCodeAt(at)) continue
    const [one, other] = [codePoint(left, at), codePoint(right, at)]
    return one - other
  }
  return left.length - right.length
}

/** Order by one text of each item. */
export function by<T>(text: (item: T) => string): (left: T, right: T) => number {
  return (left, right) => byteOrder(text(left), text(right))
}

/** A map of the wire, its keys in byte order; undefined for an empty one. */
export function wireMap(map: ReadonlyMap<string, string>): Labels | undefined {
  return map.size === 0 ? undefined : Object.fromEntries([...map].sort(by(([key]) => key)))
}

/** The manifest's labels and the stack's own, which wins. */
export function stackLabels(labels: ReadonlyMap<string, string>, namespace: string): Labels {
  return Object.fromEntries([...new Map([...labels, [NAMESPACE_LABEL, namespace]])].sort(by(([key]) => key)))
}

// --- Internal helpers ---

/** The code point that the unit at `at` belongs to: where texts differ in a low surrogate, their high ones are equal. */
function codePoint(text: string, at: number): number {
  return text.codePointAt(at) ?? 0
}
