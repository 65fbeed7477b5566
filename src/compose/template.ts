// `$NAME`, `${NAME}` and their modifiers, by the docker CLI's grammar (cli/compose/template): no nesting, modifiers also
// without braces. Unlike there, an error is kept although a later variable of the same text resolves.

const name = '[_a-zA-Z\\u017f\\u212a][_a-zA-Z0-9\\u017f\\u212a]*'
const substitution = `${name}(?::?[-?][^}]*)?`
const pattern = new RegExp(`\\$(?:(\\$)|(${substitution})|\\{(${substitution})\\}|)`, 'g')
const referencePattern = new RegExp(`^(${name})(?:(:?[-?])([\\s\\S]*))?$`)

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
  const text = template.replace(pattern, (match, escaped, named, braced, offset: number) => {
    if (escaped !== undefined) return '$'
    const inside: string | undefined = named ?? braced
    if (inside === undefined) {
      problems.invalid(offset)
      failed = true
      return match
    }
    const reference = parseReference(inside)
    const value = lookup(reference.name, offset, reference.kind === 'plain')
    if (reference.kind === 'plain') return value ?? ''
    if (named !== undefined) problems.bareModifier(offset, inside)
    if (value !== undefined && (value !== '' || !reference.alsoEmpty)) return value
    if (reference.kind === 'default') return reference.text
    problems.required(offset, reference.name, reference.text)
    failed = true
    return match
  })
  return failed ? undefined : text
}

/** The first modifier after the name counts. (The docker CLI looks for `-` first, and reads `${X:?a-b}` as `b`.) */
export function parseReference(inside: string): Reference {
  const match = referencePattern.exec(inside)
  const [, name = inside, modifier, text = ''] = match ?? []
  if (modifier === undefined) return { kind: 'plain', name }
  return { kind: modifier.endsWith('-') ? 'default' : 'required', name, text, alsoEmpty: modifier.startsWith(':') }
}
