// The YAML tree as docker reads it: every scalar resolved by go-yaml's rules, merge keys and aliases applied, places kept.
import type { Place } from './source.ts'

export type Node = ScalarNode | MapNode | ListNode

export type ScalarNode =
  | StringNode
  | { readonly kind: 'integer'; readonly value: bigint; readonly place: Place }
  | { readonly kind: 'float'; readonly value: number; readonly place: Place }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly place: Place }
  | { readonly kind: 'null'; readonly place: Place }
  /** `value` is how Go prints the time. */
  | { readonly kind: 'timestamp'; readonly value: string; readonly place: Place }

export interface StringNode {
  readonly kind: 'string'
  readonly value: string
  readonly place: Place
  /** The offset at which the scalar's source ends. */
  readonly end?: number
  /** The text before interpolation, where that changed it: messages show this one, for the other may hold a secret. */
  readonly written?: string
  /** Names of variables without a value or default that the text named. */
  readonly unset?: readonly string[]
}

export interface MapNode {
  readonly kind: 'map'
  readonly entries: ReadonlyMap<string, Entry>
  /** Keys tagged `!reset` or `!override`: what earlier files and extended services say of them is forgotten. */
  readonly forgets?: ReadonlySet<string>
  readonly place: Place
}

export interface Entry {
  readonly keyPlace: Place
  readonly value: Node
}

export interface ListNode {
  readonly kind: 'list'
  readonly items: readonly Node[]
  readonly place: Place
}

const longest = 80

/** A scalar for a message: quoted, as written in the file, bounded. */
export function shown(node: Node): string {
  switch (node.kind) {
    case 'map':
      return 'a mapping'
    case 'list':
      return 'a list'
    case 'null':
      return 'null'
    case 'string':
      return quoted(node.written ?? node.value)
    default:
      return String(node.value)
  }
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text)
}
