// Reads the declarations of src/swarm, so that the types themselves can be held against what engines answer. They are written in
// a small part of TypeScript: interfaces of readonly members, unions, lists, records, literals. A generator of JSON Schema would
// bring a second TypeScript (it needs the compiler's API, which version 7 has not yet) and a validator, some 30 MB, to read the same.
import fs from 'node:fs'
import path from 'node:path'

export type Type =
  | { readonly kind: 'literal'; readonly value: string }
  /** A keyword, a type of the same file or an imported one, with its arguments. */
  | { readonly kind: 'name'; readonly name: string; readonly args: readonly Type[] }
  | { readonly kind: 'list'; readonly item: Type }
  | { readonly kind: 'union'; readonly types: readonly Type[] }
  | { readonly kind: 'object'; readonly members: readonly Member[]; readonly bases: readonly Type[] }

export interface Member {
  readonly name: string
  readonly optional: boolean
  readonly type: Type
}

/** The types of one file by name, and where those that it imports come from. */
export interface SourceFile {
  readonly types: ReadonlyMap<string, Type>
  readonly imports: ReadonlyMap<string, string>
}

/** Reads every file of a folder; the keys are names such as `./task.ts`, as files there import each other. */
export function readTypes(folder: string): ReadonlyMap<string, SourceFile> {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.ts'))
  return new Map(names.map((name) => [`./${name}`, parseTypes(fs.readFileSync(path.join(folder, name), 'utf8'))]))
}

/** Throws where a declaration is written in another form than the ones above. */
export function parseTypes(source: string): SourceFile {
  const text = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const imports = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.\/[^']+)'/gm)].flatMap(
    ([, names = '', file = '']) => names.split(',').map((name): [string, string] => [wordOf(name), file]),
  )
  const types = [...text.matchAll(/^(?:export )?(?:interface|type) (\w+)/gm)].map((match): [string, Type] => {
    const tokens = new Tokens(text.slice(match.index), match[1] ?? '')
    return [match[1] ?? '', declaration(tokens)]
  })
  return { types: new Map(types), imports: new Map(imports) }
}

// --- Internal helpers ---

/** `type A` in a list of imports is `A`. */
function wordOf(name: string): string {
  return name.trim().replace(/^type /, '')
}

/** The words and signs of a text, one after the other. */
class Tokens {
  readonly #rest: string[]
  readonly #what: string

  constructor(text: string, what: string) {
    this.#rest = text.match(/'[^']*'|\w+|\S/g) ?? []
    this.#what = what
  }

  /** Takes the next one if it is this. */
  eat(token: string): boolean {
    if (this.#rest[0] !== token) return false
    this.#rest.shift()
    return true
  }

  next(): string {
    return this.#rest.shift() ?? ''
  }

  expect(token: string): void {
    const found = this.next()
    if (found !== token) throw new Error(`type ${this.#what}: "${found}" stands where "${token}" belongs`)
  }
}

function declaration(tokens: Tokens): Type {
  tokens.eat('export')
  const form = tokens.next()
  tokens.next()
  if (form === 'type') {
    tokens.expect('=')
    return union(tokens)
  }
  const bases: Type[] = []
  if (tokens.eat('extends'))
    do bases.push(union(tokens))
    while (tokens.eat(','))
  tokens.expect('{')
  return { kind: 'object', members: members(tokens), bases }
}

function members(tokens: Tokens): readonly Member[] {
  const found: Member[] = []
  while (!tokens.eat('}')) {
    // Where a member begins is told by this word alone.
    tokens.expect('readonly')
    const name = tokens.next()
    const optional = tokens.eat('?')
    tokens.expect(':')
    found.push({ name, optional, type: union(tokens) })
    tokens.eat(';')
  }
  return found
}

function union(tokens: Tokens): Type {
  tokens.eat('|')
  const types = [lists(tokens)]
  while (tokens.eat('|')) types.push(lists(tokens))
  const [only] = types
  return types.length === 1 && only !== undefined ? only : { kind: 'union', types }
}

function lists(tokens: Tokens): Type {
  tokens.eat('readonly')
  let type = single(tokens)
  while (tokens.eat('[')) {
    tokens.expect(']')
    type = { kind: 'list', item: type }
  }
  return type
}

function single(tokens: Tokens): Type {
  if (tokens.eat('{')) return { kind: 'object', members: members(tokens), bases: [] }
  if (tokens.eat('(')) {
    const type = union(tokens)
    tokens.expect(')')
    return type
  }
  const word = tokens.next()
  if (word.startsWith("'")) return { kind: 'literal', value: word.slice(1, -1) }
  const args: Type[] = []
  if (tokens.eat('<')) {
    do args.push(union(tokens))
    while (tokens.eat(','))
    tokens.expect('>')
  }
  return { kind: 'name', name: word, args }
}
