// Holds a value that came over the wire against a type of src/swarm: what the type does not know, and what it misses.
import path from 'node:path'
import { type Member, readTypes, type SourceFile, type Type } from './typeSource.ts'

export interface WireTypes {
  /** Every type by `file name`, such as `./task.ts Task`. */
  readonly names: readonly string[]
  /**
   * What is wrong with a value, one line a place, as `Service.Spec.Mode: …`; empty where nothing is.
   * @param type such as `Service`
   * @param file where it is declared, such as `service.ts`
   */
  problems(value: unknown, type: string, file: string): readonly string[]
  /** The members that a type has, inherited ones included, an optional one with `?`; of a union of texts, those. */
  describe(type: string, file: string): readonly string[]
}

/** The types of src/swarm, or of the files given. */
export function wireTypes(files: ReadonlyMap<string, SourceFile> = readTypes(swarm)): WireTypes {
  const start = (type: string, file: string): Scoped => {
    const found = files.get(`./${file}`)?.types.get(type)
    if (found === undefined) throw new Error(`${file} has no type ${type}`)
    return { type: found, file: `./${file}` }
  }
  const context: Context = { files }
  return {
    names: [...files].flatMap(([file, { types }]) => [...types.keys()].map((name) => `${file} ${name}`)),
    problems: (value, type, file) => check(value, start(type, file), type, context),
    describe(type, file) {
      const { value, members } = resolved(start(type, file), context)
      if (members !== undefined) return members.map(({ name, optional }) => (optional ? `${name}?` : name))
      return alternatives(value, context).flatMap(({ type: one }) => (one.kind === 'literal' ? [one.value] : []))
    },
  }
}

// --- Internal helpers ---

const swarm = path.resolve(import.meta.dirname, '../../src/swarm')

/** A type, and the file by whose imports its names are read. */
interface Scoped {
  readonly type: Type
  readonly file: string
}

interface Context {
  readonly files: ReadonlyMap<string, SourceFile>
}

type ScopedMember = Omit<Member, 'type'> & { readonly value: Scoped }

/** A name followed to what it stands for; objects come with all their members. */
function resolved(scoped: Scoped, context: Context): { readonly value: Scoped; readonly members?: ScopedMember[] } {
  const { type, file } = scoped
  if (type.kind === 'object') {
    const inherited = type.bases.flatMap((base) => resolved({ type: base, file }, context).members ?? [])
    const own = type.members.map(({ type: of, ...member }) => ({ ...member, value: { type: of, file } }))
    return { value: scoped, members: [...inherited, ...own] }
  }
  if (type.kind !== 'name') return { value: scoped }
  const [first] = type.args
  if (type.name === 'Readonly' && first) return resolved({ type: first, file }, context)
  if (type.name === 'Partial' && first) {
    const { value, members = [] } = resolved({ type: first, file }, context)
    return { value, members: members.map((member) => ({ ...member, optional: true })) }
  }
  if (basic.has(type.name)) return { value: scoped }
  const home = context.files.get(file)
  const target = home?.types.has(type.name) ? file : home?.imports.get(type.name)
  const found = target === undefined ? undefined : context.files.get(target)?.types.get(type.name)
  if (target === undefined || found === undefined) throw new Error(`${file} names a type ${type.name} that is nowhere`)
  return resolved({ type: found, file: target }, context)
}

const basic = new Set(['string', 'number', 'bigint', 'boolean', 'null', 'unknown', 'never', 'Record'])

function check(value: unknown, scoped: Scoped, at: string, context: Context): readonly string[] {
  const { value: target, members } = resolved(scoped, context)
  const { type, file } = target
  if (type.kind === 'union') return checkUnion(value, target, at, context)
  if (type.kind === 'literal') return value === type.value ? [] : [`${at}: unknown value ${JSON.stringify(value)}`]
  if (type.kind === 'list') {
    if (!Array.isArray(value)) return [`${at}: ${kindOf(value)} instead of a list`]
    return value.flatMap((item, index) => check(item, { type: type.item, file }, `${at}[${index}]`, context))
  }
  if (type.kind === 'name' && type.name !== 'Record') {
    const fits = type.name === 'unknown' || kindOf(value) === type.name
    return fits ? [] : [`${at}: ${kindOf(value)} instead of ${type.name}`]
  }
  if (!isObject(value)) return [`${at}: ${kindOf(value)} instead of an object`]
  if (type.kind === 'name') {
    const [, item = unknown] = type.args
    return Object.entries(value).flatMap(([key, one]) => check(one, { type: item, file }, `${at}.${key}`, context))
  }
  const known = new Map((members ?? []).map((member) => [member.name, member]))
  return [
    ...Object.keys(value)
      .filter((key) => !known.has(key))
      .map((key) => `${at}.${key}: unknown member`),
    ...[...known.values()].flatMap(({ name, optional, value: member }) => {
      if (!Object.hasOwn(value, name)) return optional ? [] : [`${at}.${name}: missing`]
      return check(value[name], member, `${at}.${name}`, context)
    }),
  ]
}

/** The problems of the alternative that the value is nearest to: the one of its kind. */
function checkUnion(value: unknown, scoped: Scoped, at: string, context: Context): readonly string[] {
  const found = alternatives(scoped, context).map((one) => check(value, one, at, context))
  if (found.some((problems) => problems.length === 0)) return []
  return found.find((problems) => !problems.some((text) => text.startsWith(`${at}: `))) ?? found.at(0) ?? []
}

function alternatives(scoped: Scoped, context: Context): readonly Scoped[] {
  const { value } = resolved(scoped, context)
  const { type, file } = value
  if (type.kind !== 'union') return [scoped]
  return type.types.flatMap((one) => alternatives({ type: one, file }, context))
}

const unknown: Type = { kind: 'name', name: 'unknown', args: [] }

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return kindOf(value) === 'object'
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
