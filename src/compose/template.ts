// `$NAME`, `${NAME}` and their modifiers, by the docker CLI's grammar (cli/compose/template): no nesting, modifiers also
// without braces. Unlike there, an error is kept although a later variable of the same text resolves.

const namePattern = /[_a-zA-Z\u017f\u212a][_a-zA-Z0-9\u017f\u212a]*/y
const modifierPattern = /:?[-?]/y

export type Reference =
  | { readonly kind: 'plain'; readonly name: string }
  | { readonly kind: 'default'; readonly name: string; readonly text: string; readonly alsoEmpty: boolean }
  | { readonly kind: 'required'; readonly name: string; readonly text: string; readonly alsoEmpty: boolean }

/** What can be wrong with a template; offsets are into it. */
export interface TemplateProblems {
  invalid(offset: number): void
  required(offset: number, name: string, text: string): void
  /** `$TAG-alpine` means `${TAG-alpine}` to docker: the rest of the text is a default. */
  bareModifier(offset: number, inside: string): void
}

/** Replaces every reference by what `lookup` answers; `$$` is one `$`. Undefined where an error was reported. */
export function substitute(
  template: string,
  lookup: (name: string, offset: number, plain: boolean) => string | undefined,
  problems: TemplateProblems,
): string | undefined {
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
      problems.invalid(at)
      return undefined
    } else {
      const { reference } = found
      if (!found.braced && reference.kind !== 'plain') problems.bareModifier(at, template.slice(at + 1, done))
      const value = lookup(reference.name, at, reference.kind === 'plain')
      if (reference.kind === 'plain') text += value ?? ''
      else if (value !== undefined && (value !== '' || !reference.alsoEmpty)) text += value
      else if (reference.kind === 'default') text += reference.text
      else {
        problems.required(at, reference.name, reference.text)
        failed = true
      }
    }
  }
  return failed ? undefined : text + template.slice(done)
}

interface Found {
  /** Undefined where it is not valid. */
  readonly reference: Reference | undefined
  readonly braced: boolean
  readonly end: number
}

/**
 * The reference whose `$` is at `start`. With a modifier it reaches to the next `}`, or without braces to the text's end.
 * The first modifier after the name counts. (The docker CLI looks for `-` first, and reads `${X:?a-b}` as `b`.)
 */
function readReference(template: string, start: number): Found {
  const braced = template.charAt(start + 1) === '{'
  const from = start + (braced ? 2 : 1)
  const invalid: Found = { reference: undefined, braced, end: from }
  const name = match(namePattern, template, from)
  if (name === '') return invalid
  const after = from + name.length
  const modifier = match(modifierPattern, template, after)
  if (modifier === '') {
    if (braced && template.charAt(after) !== '}') return invalid
    return { reference: { kind: 'plain', name }, braced, end: after + (braced ? 1 : 0) }
  }
  const close = template.indexOf('}', after)
  if (close === -1 && braced) return invalid
  const end = close === -1 ? template.length : close
  const text = template.slice(after + modifier.length, end)
  const kind = modifier.endsWith('-') ? 'default' : 'required'
  return { reference: { kind, name, text, alsoEmpty: modifier.startsWith(':') }, braced, end: end + (braced ? 1 : 0) }
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}
