// `$NAME`, `${NAME}` and their modifiers, by the docker CLI's grammar (cli/compose/template), modifiers also without braces.
// From the Compose Specification: `${NAME:+text}`, `${NAME+text}`, and references in braces inside such a text. Unlike
// with docker, an error is kept although a later variable of the same text resolves.

const namePattern = /[_a-zA-Z\u017f\u212a][_a-zA-Z0-9\u017f\u212a]*/y
const bareModifier = /:?[-?]/y
const bracedModifier = /:?[-?+]/y

type Kind = 'plain' | 'default' | 'required' | 'replacement'

interface Reference {
  readonly kind: Kind
  readonly name: string
  /** What follows the modifier: the default, the message or the replacement. */
  readonly text: string
  /** Where it begins in the template. */
  readonly textAt: number
  readonly alsoEmpty: boolean
}

/** What can be wrong with a template; offsets are into it. */
export interface TemplateProblems {
  invalid(offset: number): void
  required(offset: number, name: string, text: string): void
  /** `$TAG-alpine` means `${TAG-alpine}` to docker: the rest of the text is a default. */
  bareModifier(offset: number, inside: string): void
  /** `${TAG:-$OTHER}`: docker replaces nothing inside a default, and here only what is in braces is replaced. */
  literalReference(offset: number, inside: string): void
  /** `${A:-${B}}` where `A` has a value: docker ends the reference at the first `}`, and the second one stays. */
  leftBrace(offset: number, name: string): void
}

/** Deeper, nobody can read it, and each level reads the rest once more. */
const deepest = 20

interface Scope {
  readonly lookup: (name: string, offset: number, plain: boolean) => string | undefined
  readonly problems: TemplateProblems
  /** Whether a default that is not needed ends at its first `}`, as with docker, and what follows is text. */
  readonly shortest: boolean
  /** Where the template begins in the text that offsets are told for. */
  readonly base: number
  readonly depth: number
}

/** Replaces every reference by what `lookup` answers; `$$` is one `$`. Undefined where an error was reported. */
export function substitute(
  template: string,
  lookup: Scope['lookup'],
  problems: TemplateProblems,
  shortest = false,
): string | undefined {
  return replaceAll({ lookup, problems, shortest, base: 0, depth: 0 }, template)
}

function replaceAll(scope: Scope, template: string): string | undefined {
  const { problems, base } = scope
  let failed = false
  let text = ''
  let done = 0
  for (let at = template.indexOf('$'); at !== -1; at = template.indexOf('$', done)) {
    text += template.slice(done, at)
    const found = template.charAt(at + 1) === '$' ? undefined : readReference(template, at)
    done = found?.end ?? at + 2
    if (found === undefined) text += '$'
    else if (found.reference === undefined) {
      // One such error tends to make the rest of the text one, too.
      problems.invalid(base + at)
      return undefined
    } else {
      const { reference } = found
      if (!found.braced && reference.kind !== 'plain') problems.bareModifier(base + at, template.slice(at + 1, done))
      const resolved = resolve(scope, reference, at)
      if (resolved === undefined) failed = true
      else text += resolved.value
      if (resolved?.end !== undefined) done = resolved.end
    }
  }
  return failed ? undefined : text + template.slice(done)
}

/** Undefined where it is required and missing; `end` where it ends earlier than its last brace. */
function resolve(scope: Scope, reference: Reference, at: number): { value: string; end?: number } | undefined {
  const { lookup, problems, base, shortest } = scope
  const { kind, name, text, textAt } = reference
  const value = lookup(name, base + at, kind === 'plain')
  const isSet = value !== undefined && (value !== '' || !reference.alsoEmpty)
  if (kind === 'plain') return { value: value ?? '' }
  if (kind === 'replacement' || (kind === 'default' && !isSet)) {
    const inside = kind === 'replacement' && !isSet ? '' : replaceInside(scope, reference)
    return inside === undefined ? undefined : { value: inside }
  }
  if (isSet) {
    const brace = text.indexOf('}')
    if (!shortest || brace === -1) return { value }
    problems.leftBrace(base + at, name)
    return { value, end: textAt + brace + 1 }
  }
  problems.required(base + at, name, text)
  return undefined
}

/** A default without a reference in braces stays as it is, `$$` included: that is docker's way. */
function replaceInside(scope: Scope, { text, textAt, kind }: Reference): string | undefined {
  const base = scope.base + textAt
  if (scope.depth === deepest) {
    scope.problems.invalid(base)
    return undefined
  }
  if (kind === 'replacement' || text.includes('${')) {
    return replaceAll({ ...scope, base, depth: scope.depth + 1, shortest: false }, text)
  }
  const bare = /\$[_a-zA-Z][_a-zA-Z0-9]*/.exec(text)
  if (bare !== null) scope.problems.literalReference(base + bare.index, bare[0])
  return text
}

interface Found {
  /** Undefined where it is not valid. */
  readonly reference: Reference | undefined
  readonly braced: boolean
  readonly end: number
}

/**
 * The reference whose `$` is at `start`. With a modifier it reaches to its `}`, or without braces to the text's end.
 * The first modifier after the name counts. (The docker CLI looks for `-` first, and reads `${X:?a-b}` as `b`.)
 */
function readReference(template: string, start: number): Found {
  const braced = template.charAt(start + 1) === '{'
  const from = start + (braced ? 2 : 1)
  const invalid: Found = { reference: undefined, braced, end: from }
  const name = match(namePattern, template, from)
  if (name === '') return invalid
  const after = from + name.length
  const modifier = match(braced ? bracedModifier : bareModifier, template, after)
  const textAt = after + modifier.length
  if (modifier === '') {
    if (braced && template.charAt(after) !== '}') return invalid
    const end = after + (braced ? 1 : 0)
    return { reference: { kind: 'plain', name, text: '', textAt, alsoEmpty: false }, braced, end }
  }
  const close = braced ? closingBrace(template, textAt) : template.indexOf('}', textAt)
  if (close === -1 && braced) return invalid
  const end = close === -1 ? template.length : close
  const kind = kinds[modifier.slice(-1)] ?? 'default'
  const reference = { kind, name, text: template.slice(textAt, end), textAt, alsoEmpty: modifier.startsWith(':') }
  return { reference, braced, end: end + (braced ? 1 : 0) }
}

const kinds: Readonly<Record<string, Kind>> = { '-': 'default', '?': 'required', '+': 'replacement' }

/** The `}` that ends the text at `from`: every `${` before it has one of its own. */
function closingBrace(template: string, from: number): number {
  let open = 1
  for (let at = from; at < template.length; at++) {
    if (template.startsWith('${', at)) open++
    else if (template.charAt(at) === '}' && --open === 0) return at
  }
  return -1
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}
