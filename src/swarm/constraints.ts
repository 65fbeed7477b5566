import { BlockList, isIP } from 'node:net'
import type { Node } from './node.ts'

/** A placement constraint, such as `node.labels.disk == ssd`. */
export interface Constraint {
  readonly key: string
  readonly equal: boolean
  readonly value: string
}

/**
 * Reads placement constraints as Swarm does. Undefined when one of them cannot be read: Swarm then filters no node at all.
 * Source: moby/swarmkit constraint.Parse.
 */
export function parseConstraints(expressions: readonly string[]): readonly Constraint[] | undefined {
  const constraints: Constraint[] = []
  for (const expression of expressions) {
    const constraint = parseConstraint(expression)
    if (constraint === undefined) return undefined
    constraints.push(constraint)
  }
  return constraints
}

/** Whether a node meets every constraint. Keys that Swarm does not know match no node. */
export function nodeMatches(node: Node, constraints: readonly Constraint[]): boolean {
  return constraints.every((constraint) => meets(node, constraint))
}

const KEY = /^[a-z_][a-z0-9\-_.]+$/i
const VALUE = /^[a-z0-9:\-_\s.*()?+[\]\\^$|/]+$/i
const NODE_LABEL = 'node.labels.'
const ENGINE_LABEL = 'engine.labels.'

function parseConstraint(expression: string): Constraint | undefined {
  // Swarm looks for `==` first, wherever it stands.
  for (const operator of ['==', '!=']) {
    const at = expression.indexOf(operator)
    if (at < 0) continue
    const key = expression.slice(0, at).trim()
    const value = expression.slice(at + operator.length).trim()
    if (!KEY.test(key) || !VALUE.test(value)) return undefined
    return { key, equal: operator === '==', value }
  }
  return undefined
}

function meets(node: Node, constraint: Constraint): boolean {
  const key = constraint.key.toLowerCase()
  if (key === 'node.ip') return meetsAddress(node.Status.Addr ?? '', constraint)
  const actual = attributeOf(node, constraint.key, key)
  if (actual === undefined) return false
  return (actual.toLowerCase() === constraint.value.toLowerCase()) === constraint.equal
}

function attributeOf(node: Node, key: string, lowerKey: string): string | undefined {
  switch (lowerKey) {
    case 'node.id':
      return node.ID
    case 'node.hostname':
      return node.Description.Hostname ?? ''
    case 'node.role':
      return node.Spec.Role ?? ''
    case 'node.platform.os':
      return node.Description.Platform?.OS ?? ''
    case 'node.platform.arch':
      return node.Description.Platform?.Architecture ?? ''
  }
  // The prefix is read in any case, the label's own name is not.
  if (lowerKey.startsWith(NODE_LABEL) && key.length > NODE_LABEL.length) {
    return node.Spec.Labels?.[key.slice(NODE_LABEL.length)] ?? ''
  }
  if (lowerKey.startsWith(ENGINE_LABEL) && key.length > ENGINE_LABEL.length) {
    return node.Description.Engine?.Labels?.[key.slice(ENGINE_LABEL.length)] ?? ''
  }
  return undefined
}

function meetsAddress(address: string, constraint: Constraint): boolean {
  const [base, bits] = constraint.value.split('/', 2)
  const family = isIP(base ?? '')
  if (base === undefined || family === 0) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  if (bits === undefined) list.addAddress(base, type)
  else {
    const length = Number(bits)
    if (!/^\d+$/.test(bits) || length > (family === 4 ? 32 : 128)) return false
    list.addSubnet(base, length, type)
  }
  const inside = isIP(address) === family && list.check(address, type)
  return inside === constraint.equal
}
