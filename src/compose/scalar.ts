// What a YAML scalar is. The rules are go-yaml v3's (YAML 1.1's octals and binaries, 1.2's booleans, no base 60), which
// the docker CLI reads manifests with; the yaml package only delivers the text, the style and the tag.
import type { ScalarNode } from './node.ts'
import type { Place } from './source.ts'
import { timestampText } from './timestamp.ts'

/** A scalar whose tag contradicts its text, such as `!!int abc`; the message says so. */
export interface BadScalar {
  readonly kind: 'bad'
  readonly message: string
}

const yamlTag = 'tag:yaml.org,2002:'
const floatPattern = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/
const constants: ReadonlyMap<string, boolean | null | number> = new Map<string, boolean | null | number>([
  ...['true', 'True', 'TRUE'].map((text) => [text, true] as const),
  ...['false', 'False', 'FALSE'].map((text) => [text, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((text) => [text, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((text) => [text, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((text) => [text, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((text) => [text, Number.NEGATIVE_INFINITY] as const),
])

/** `tag` is the full tag, where the file gives one; `plain` is false for quoted and block scalars. */
export function resolveScalar(
  text: string,
  plain: boolean,
  tag: string | undefined,
  place: Place,
  end: number,
): ScalarNode | BadScalar {
  const string: ScalarNode = { kind: 'string', value: text, place, end }
  const name = tag?.startsWith(yamlTag) ? tag.slice(yamlTag.length) : undefined
  if (tag !== undefined && name === undefined) return string
  if (name === 'str' || (name === undefined && !plain)) return string
  if (name === 'binary') return decodeBinary(text, place, end)
  const resolved = resolvePlain(text, name === undefined || name === 'timestamp', place) ?? string
  if (name === undefined) return resolved
  const wanted = name === 'int' ? 'integer' : name === 'bool' ? 'boolean' : name
  if (wanted === resolved.kind) return resolved
  if (wanted === 'float' && resolved.kind === 'integer') return { kind: 'float', value: Number(resolved.value), place }
  if (!['integer', 'boolean', 'float', 'null', 'timestamp'].includes(wanted)) return string
  return { kind: 'bad', message: `the tag !!${name} does not fit the value ${JSON.stringify(text.slice(0, 80))}` }
}

function resolvePlain(text: string, timestamps: boolean, place: Place): ScalarNode | undefined {
  const constant = constants.get(text)
  if (constant === null) return { kind: 'null', place }
  if (typeof constant === 'boolean') return { kind: 'boolean', value: constant, place }
  if (typeof constant === 'number') return { kind: 'float', value: constant, place }
  if (!/^[-+.0-9]/.test(text)) return undefined
  if (text.startsWith('.')) return float(text.replaceAll('_', ''), place)
  const time = timestamps ? timestampText(text) : undefined
  if (time !== undefined) return { kind: 'timestamp', value: time, place }
  const digits = text.replaceAll('_', '')
  const integer = integerOf(digits)
  if (integer !== undefined) return { kind: 'integer', value: integer, place }
  return float(digits, place)
}

/** Decimal, `0x`, `0b`, `0o` and leading-zero octal, from -2^63 to 2^64-1; what is larger becomes a float. */
function integerOf(text: string): bigint | undefined {
  const match = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/.exec(text)
  if (match === null) return undefined
  const [, sign, hex, binary, octal, decimal = '0'] = match
  const size = BigInt(hex ? `0x${hex}` : binary ? `0b${binary}` : octal ? `0o${octal}` : decimal)
  const value = sign === '-' ? -size : size
  return value >= -(2n ** 63n) && value < (sign === '' ? 2n ** 64n : 2n ** 63n) ? value : undefined
}

function float(text: string, place: Place): ScalarNode | undefined {
  if (!floatPattern.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? { kind: 'float', value, place } : undefined
}

function decodeBinary(text: string, place: Place, end: number): ScalarNode | BadScalar {
  const compact = text.replace(/[\r\n]/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 !== 0) {
    return { kind: 'bad', message: 'the value tagged !!binary is not valid base64' }
  }
  return { kind: 'string', value: Buffer.from(compact, 'base64').toString('utf8'), place, end }
}
