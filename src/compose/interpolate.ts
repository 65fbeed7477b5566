// Replaces variables in every text value of a file: not in keys, and not in `version`, which is read before.
import { type CastTree, casts, castText } from './casts.ts'
import type { Findings } from './findings.ts'
import type { Entry, Node, StringNode } from './node.ts'
import { quoted } from './node.ts'
import type { Place } from './source.ts'
import { substitute } from './template.ts'
import type { Variables } from './variables.ts'

/** Interpolates the files of one run; remembers which unset variables it has warned of. */
export interface Interpolation {
  readonly variables: Variables
  readonly findings: Findings
  readonly warned: Set<string>
}

/** Values with an error in them are left out of the result: the error has been reported, and says enough. */
export function interpolate(context: Interpolation, root: Node): Node | undefined {
  return walk(context, root, casts)
}

function walk(context: Interpolation, node: Node, cast: CastTree | undefined): Node | undefined {
  if (node.kind === 'string') return node.value.includes('$') ? interpolateText(context, node, cast) : node
  if (node.kind === 'list') {
    const items = node.items.flatMap((item) => walk(context, item, cast?.keys?.['[]']) ?? [])
    return items.length === node.items.length && items.every((item, index) => item === node.items[index])
      ? node
      : { ...node, items }
  }
  if (node.kind !== 'map') return node
  const entries = new Map<string, Entry>()
  let same = true
  for (const [name, entry] of node.entries) {
    const keys = cast?.keys
    const inner = keys && Object.hasOwn(keys, name) ? keys[name] : keys?.['*']
    const value = walk(context, entry.value, inner)
    same &&= value === entry.value
    if (value !== undefined) entries.set(name, value === entry.value ? entry : { keyPlace: entry.keyPlace, value })
  }
  return same ? node : { ...node, entries }
}

function interpolateText(context: Interpolation, node: StringNode, cast: CastTree | undefined): Node | undefined {
  const { variables, findings } = context
  let hidden = false
  const unset: string[] = []
  const at = placesInside(node)
  const text = substitute(
    node.value,
    (name, offset, plain) => {
      if (variables.isHidden(name)) {
        findings.error(at(offset), ...hiddenVariable(name))
        hidden = true
        return ''
      }
      const value = variables.get(name)
      if (value === undefined && plain) unset.push(warnUnset(context, name, at(offset)))
      return value
    },
    {
      invalid: (offset) =>
        findings.error(
          at(offset),
          `the variable reference in ${quoted(node.value)} is not valid`,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the manifest's syntax
          'Write ${NAME}, ${NAME:-default}, ${NAME:?message} or ${NAME:+text}, and $$ for a plain $.',
        ),
      required: (offset, name, message) =>
        findings.error(
          at(offset),
          `the variable ${name} is required here, but it is not set${message === '' ? '' : `: ${message}`}`,
          `Give ${name} in \`variables\`, \`secrets\`, an \`env-file\` or the step's \`env\`.`,
        ),
      bareModifier: (offset, inside) =>
        findings.warning(
          at(offset),
          `"$${inside}" without braces is read as "\${${inside}}": what follows the name is a default, not text`,
          'Put braces around the name alone.',
        ),
      literalReference: (offset, inside) =>
        findings.warning(
          at(offset),
          `"${inside}" inside a default stays as it is: only a reference in braces is replaced there`,
          `Write "\${${inside.slice(1)}}" if the variable is meant.`,
        ),
      leftBrace: (offset, name) =>
        findings.warning(
          at(offset),
          `the default inside the default of ${name} is not needed, and what follows its first "}" stays behind the value, as with docker`,
          `Write the value of ${name} and its default in one variable, or unset ${name} to use the default.`,
        ),
    },
    cast?.free,
  )
  if (text === undefined || hidden) return undefined
  if (text === node.value) return node
  const written = node.written ?? node.value
  variables.note?.(text, written)
  const changed: StringNode = {
    ...node,
    value: text,
    written,
    ...(unset.length > 0 && { unset }),
  }
  if (cast?.cast === undefined) return changed
  const value = castText(text, cast.cast, node.place)
  if (value !== undefined) return value
  const wanted = { integer: 'a whole number', float: 'a number', boolean: 'true or false' }[cast.cast]
  const cause = unset.length > 0 ? `, because ${unset.join(', ')} is not set` : ''
  findings.error(
    node.place,
    `the value that ${quoted(node.value)} stands for must be ${wanted}, and is not${cause}`,
    'Correct the variable.',
  )
  return undefined
}

function warnUnset({ findings, warned }: Interpolation, name: string, place: Place): string {
  if (!warned.has(name)) {
    warned.add(name)
    findings.warning(
      place,
      `the variable ${name} is not set, so it becomes empty text`,
      `Set it, or write \${${name}:-} if that is meant.`,
    )
  }
  return name
}

/** Why a variable may not be named, and what to do. */
export function hiddenVariable(name: string): [message: string, remedy: string] {
  return [
    `the variable ${name} belongs to the runner or to this action, and no manifest may read it`,
    'Hand the value over under another name, in `variables` or `secrets`.',
  ]
}

/** From the offset of a `$` in the value to its place: the same `$` in the source, unless escapes make their numbers differ. */
function placesInside(node: StringNode): (offset: number) => Place {
  const { source, offset: start } = node.place
  let offsets: ReadonlyMap<number, number> | undefined
  return (offset) => {
    offsets ??= pairUp(dollars(node.value), dollars(source.text.slice(start, node.end ?? start)))
    const at = offsets.get(offset)
    return at === undefined ? node.place : { source, offset: start + at }
  }
}

function pairUp(inValue: readonly number[], inSource: readonly number[]): Map<number, number> {
  if (inValue.length !== inSource.length) return new Map()
  return new Map(inValue.map((offset, index) => [offset, inSource[index] ?? 0]))
}

function dollars(text: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', at + 1)) found.push(at)
  return found
}
