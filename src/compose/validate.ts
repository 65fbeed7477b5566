// Holds a file's tree against the rules, and reports everything that does not fit, each at its own line.
import type { Findings } from './findings.ts'
import { checkFormat } from './format.ts'
import { goFloat } from './goFloat.ts'
import { type Entry, type ListNode, type MapNode, type Node, quoted, shown } from './node.ts'
import { rootRules } from './rootRules.ts'
import type { Rule, ValueType } from './rule.ts'
import { positionOf } from './source.ts'
import { unknownKey } from './unknownKey.ts'

interface Validation {
  readonly findings: Findings
  /** The minor number of the schema's version. */
  readonly version: number
}

export function validate(root: MapNode, version: number, findings: Findings): void {
  check({ findings, version }, root, rootRules, '', '')
}

function check(validation: Validation, node: Node, rule: Rule, path: string, pattern: string): void {
  const { findings, version } = validation
  if (!rule.types.some((type) => isOfType(node, type))) {
    typeError(validation, node, rule, path)
    return
  }
  if (node.kind === 'map') {
    if (rule.mappingSince !== undefined && version < rule.mappingSince) {
      const remedy = `Remove \`version\`, or use the short form.`
      findings.error(node.place, `${path} can be a mapping only from version 3.${rule.mappingSince} on`, remedy)
      return
    }
    checkMap(validation, node, rule, path, pattern)
    return
  }
  if (node.kind === 'list') {
    checkList(validation, node, rule, path, pattern)
    return
  }
  if (rule.format !== undefined && node.kind !== 'null' && node.kind !== 'boolean') {
    const text = node.kind === 'float' ? goFloat(node.value) : String(node.value)
    const problem = node.kind === 'float' && rule.format === 'port' ? notWhole : checkFormat(text, rule.format)
    if (problem !== undefined) findings.error(node.place, `${path}: ${shown(node)} ${problem.message}`, problem.remedy)
  }
  if (rule.choices !== undefined && node.kind === 'string' && !rule.choices.includes(node.value)) {
    findings.error(
      node.place,
      `${path} must be ${rule.choices.join(' or ')}, not ${shown(node)}`,
      rule.choices.length === 1 ? `Write ${rule.choices[0]}, or remove it.` : 'Write one of the two.',
    )
  }
  if (rule.minimum !== undefined && 'value' in node && Number(node.value) < rule.minimum) {
    findings.error(node.place, `${path} must be at least ${rule.minimum}, not ${shown(node)}`, 'Correct the number.')
  }
}

const notWhole = { message: 'is not a port: it must be a whole number', remedy: 'Quote it, or remove the fraction.' }

function checkMap(validation: Validation, node: MapNode, rule: Rule, path: string, pattern: string): void {
  const { findings } = validation
  for (const [key, entry] of node.entries) {
    const known = rule.keys !== undefined && Object.hasOwn(rule.keys, key) ? rule.keys[key] : undefined
    const inner = join(path, key)
    if (known !== undefined) checkKnown(validation, key, entry, known, inner, join(pattern, key))
    else if (rule.others !== undefined && (rule.names === undefined || rule.names.test(key))) {
      check(validation, entry.value, rule.others, inner, join(pattern, '*'))
    } else if (rule.others !== undefined) {
      const remedy = 'Use letters, digits, dots, underscores and hyphens only.'
      findings.error(entry.keyPlace, `${quoted(key)} is not a valid name in ${path}`, remedy)
    } else checkUnknown(validation, key, entry, rule, path, pattern)
  }
  for (const key of rule.required ?? []) {
    if (!node.entries.has(key))
      findings.error(node.place, `${path} has no "${key}", which it needs`, `Add \`${key}:\`.`)
  }
}

function checkKnown(
  validation: Validation,
  key: string,
  entry: Entry,
  rule: Rule,
  path: string,
  pattern: string,
): void {
  if (rule.since === undefined || validation.version >= rule.since) {
    check(validation, entry.value, rule, path, pattern)
    return
  }
  validation.findings.error(
    entry.keyPlace,
    `the key "${key}" (${path}) exists from version 3.${rule.since} on, but this file says version 3.${validation.version}`,
    'Remove the line `version`, or raise it.',
  )
}

function checkUnknown(
  { findings, version }: Validation,
  key: string,
  entry: Entry,
  rule: Rule,
  path: string,
  pattern: string,
): void {
  if (rule.open === true || findings.isFull()) return
  if (key.startsWith('x-') && rule.extensions !== undefined) {
    if (version >= rule.extensions) return
    const message = `keys beginning with "x-" exist here from version 3.${rule.extensions} on, but this file says version 3.${version}`
    findings.error(entry.keyPlace, message, 'Remove the line `version`, or raise it.')
    return
  }
  const { message, remedy } = unknownKey(key, path, pattern, rule)
  findings.error(entry.keyPlace, message, remedy)
}

function checkList(validation: Validation, node: ListNode, rule: Rule, path: string, pattern: string): void {
  const seen = new Map<string, Node>()
  for (const [index, item] of node.items.entries()) {
    if (rule.items !== undefined) check(validation, item, rule.items, join(path, String(index)), join(pattern, '[]'))
    if (rule.unique !== true) continue
    const key = identity(item)
    const earlier = seen.get(key)
    if (earlier === undefined) seen.set(key, item)
    else {
      const line = positionOf(earlier.place).line
      validation.findings.error(item.place, `${path} lists ${shown(item)} twice (first at line ${line})`, 'Remove one.')
    }
  }
}

function typeError({ findings }: Validation, node: Node, rule: Rule, path: string): void {
  const wanted = rule.types
    .filter((type) => type !== 'timestamp')
    .map((type) => (type === 'null' ? 'empty' : `a ${type}`).replace('a integer', 'a whole number'))
  const list = wanted.length > 1 ? `${wanted.slice(0, -1).join(', ')} or ${wanted.at(-1)}` : wanted[0]
  const isText = rule.types.includes('string') && node.kind !== 'map' && node.kind !== 'list'
  const is =
    node.kind === 'map' || node.kind === 'list'
      ? shown(node)
      : node.kind === 'null'
        ? 'empty'
        : `the ${node.kind} ${shown(node)}`
  const remedy = isText && node.kind !== 'null' ? quoteIt(node, rule) : undefined
  findings.error(
    node.place,
    `${path === '' ? 'the file' : path} must be ${list}, but it is ${is}`,
    remedy ?? typeRemedy(node, rule),
  )
}

function quoteIt(node: Node, rule: Rule): string {
  if (rule.format === 'duration' && node.kind === 'integer') return `Write it with a unit: "${node.value}s".`
  return `Quote it: "${shown(node)}".`
}

function typeRemedy(node: Node, rule: Rule): string {
  if (node.kind === 'null') return 'Give it a value, or remove the key.'
  if (
    node.kind === 'string' &&
    rule.types.some((type) => type === 'integer' || type === 'number' || type === 'boolean')
  ) {
    if (node.written !== undefined) return 'Write the value itself: here a variable is always text.'
    const isValue = /^(?:[-+]?[0-9.]+|true|false)$/i.test(node.value)
    return isValue ? 'Remove the quotes.' : 'Correct the value.'
  }
  if (rule.types.includes('mapping')) return 'Write `key: value` lines, indented below the key.'
  if (rule.types.includes('list')) return 'Write the items on lines of their own, each after "- ".'
  return 'Correct the value.'
}

function isOfType(node: Node, type: ValueType): boolean {
  switch (type) {
    case 'mapping':
      return node.kind === 'map'
    case 'number':
      return node.kind === 'integer' || node.kind === 'float'
    case 'integer':
      return node.kind === 'integer' || (node.kind === 'float' && Number.isInteger(node.value))
    default:
      return node.kind === type
  }
}

/** Equal for values that are equal as JSON. */
function identity(node: Node): string {
  switch (node.kind) {
    case 'map':
      return `{${[...node.entries]
        .map(([key, { value }]) => `${JSON.stringify(key)}:${identity(value)}`)
        .sort()
        .join()}}`
    case 'list':
      return `[${node.items.map(identity).join()}]`
    case 'null':
      return 'null'
    case 'string':
    case 'timestamp':
      return JSON.stringify(node.value)
    default:
      return String(node.value)
  }
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
