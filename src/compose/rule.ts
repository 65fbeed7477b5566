// What a value of the manifest may be. The tables of rules (rootRules.ts and what it imports) are the Compose file schemas
// 3.0 to 3.13 of docker/cli, written as one: a rule with `since: 7` exists from version 3.7 on.

export type ValueType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'timestamp' | 'mapping' | 'list'
export type Format = 'duration' | 'port' | 'expose'

export interface Rule {
  readonly types: readonly ValueType[]
  readonly since?: number
  readonly format?: Format
  readonly choices?: readonly string[]
  readonly minimum?: number
  /** Of a list. */
  readonly items?: Rule
  readonly unique?: boolean
  /** Of a mapping: its known keys, and what any other key holds. */
  readonly keys?: Readonly<Record<string, Rule>>
  readonly others?: Rule
  /** The form of the names that `others` is for. */
  readonly names?: RegExp
  readonly required?: readonly string[]
  /** The first version in which the mapping form exists beside shorter ones. */
  readonly mappingSince?: number
  /** Unknown keys are tolerated and mean nothing. */
  readonly open?: boolean
  /** The first version that allows keys beginning with `x-`. */
  readonly extensions?: number
}

type Facets = Omit<Rule, 'types'>

export const string: Rule = { types: ['string'] }
export const integer: Rule = { types: ['integer'] }
export const number: Rule = { types: ['number'] }
export const boolean: Rule = { types: ['boolean'] }
export const duration: Rule = { types: ['string'], format: 'duration' }
export const stringOrNumber: Rule = { types: ['string', 'number'] }
export const stringOrInteger: Rule = { types: ['string', 'integer'] }
export const anything: Rule = {
  types: ['string', 'number', 'boolean', 'null', 'timestamp', 'mapping', 'list'],
  open: true,
}

export function list(items: Rule, facets: Facets = {}): Rule {
  return { types: ['list'], items, ...facets }
}

export function mapping(keys: Readonly<Record<string, Rule>>, facets: Facets = {}): Rule {
  return { types: ['mapping'], keys, ...facets }
}

/** A mapping whose keys the author chooses. */
export function mappingOf(others: Rule, facets: Facets = {}): Rule {
  return { types: ['mapping'], keys: {}, others, ...facets }
}

/** The union of types; their facets must not contradict each other. */
export function either(first: Rule, second: Rule): Rule {
  return { ...first, ...second, types: [...first.types, ...second.types] }
}

export function orNull(rule: Rule): Rule {
  return { ...rule, types: [...rule.types, 'null'] }
}

export function since(version: number, rule: Rule): Rule {
  return { ...rule, since: version }
}

export const uniqueStrings = list(string, { unique: true })
export const stringOrList = either(string, uniqueStrings)
/** What docker prints as text; a timestamp is text only here. */
export const textOrNull: Rule = { types: ['string', 'number', 'timestamp', 'null'] }
/** Environment, labels, options: `KEY: value` or a list of `KEY=value`. (Booleans are the Compose Specification's.) */
export const listOrMapping = either(mappingOf({ types: [...textOrNull.types, 'boolean'] }), uniqueStrings)
export const stringsOrNumbers = mappingOf({ types: ['string', 'number', 'timestamp'] })
