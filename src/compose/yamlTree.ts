// YAML text → `Node` tree: scalars resolved as go-yaml does, aliases and merge keys applied, places kept, the first
// document only. Sizes and depth are bounded, so that no file can keep a run busy or overflow the stack.
import {
  Composer,
  type CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  Parser,
  type Node as YamlNode,
} from 'yaml'
import type { Findings } from './findings.ts'
import { joinFlowLines } from './flowIndent.ts'
import { mergeEntries } from './mergeKey.ts'
import type { Entry, MapNode, Node } from './node.ts'
import { resolveScalar } from './scalar.ts'
import { type Place, positionOf, type Source } from './source.ts'
import { explainYamlError } from './yamlError.ts'

const deepest = 200
/** How many nodes aliases may stand for altogether. (go-yaml allows between 400,000 and 4,000,000, by their share.) */
const mostAliased = 1_000_000
const options = {
  schema: 'failsafe',
  uniqueKeys: false,
  merge: false,
  strict: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const

interface Anchor {
  /** Undefined while the value is still being read: an alias there contains itself. */
  readonly node: Node | undefined
  readonly size: number
}

interface Reading {
  readonly source: Source
  readonly findings: Findings
  readonly anchors: Map<string, Anchor>
  /** Nodes so far, each alias counted as what it stands for. */
  nodes: number
  aliased: number
}

/** The tree of the source's first document; undefined after an error that leaves no tree to look at. */
export function parseYaml(source: Source, findings: Findings): Node | undefined {
  try {
    return parse(source, findings)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    tooDeep(findings, { source, offset: typeof error.cause === 'number' ? error.cause : 0 })
    return undefined
  }
}

function parse(source: Source, findings: Findings): Node | undefined {
  let documents = compose(source.text)
  let first = documents.next().value
  if (first?.errors[0]?.code === 'BAD_INDENT') {
    const joined = joinFlowLines(source.text)
    const again = joined === undefined ? undefined : compose(joined)
    const better = again?.next().value
    // Errors are shown for what the file says, unless nothing but the indentation was wrong.
    if (again !== undefined && better !== undefined && better.errors.length === 0) [documents, first] = [again, better]
  }
  const place = { source, offset: 0 }
  const [error] = first?.errors ?? []
  if (error !== undefined) {
    const { message, remedy } = explainYamlError(error)
    findings.error({ source, offset: Math.min(error.pos[0], source.text.length) }, message, remedy)
    return undefined
  }
  if (!first?.contents) return { kind: 'null', place }
  const second = documents.next()
  if (second.done !== true && second.value.contents !== null && second.value.range[0] > 0) {
    findings.warning(
      { source, offset: Math.min(second.value.range[0], source.text.length) },
      'only the first YAML document of a file is used: what begins here is ignored',
      'Put it into a file of its own, and name that in `manifest`.',
    )
  }
  const reading: Reading = { source, findings, anchors: new Map(), nodes: 0, aliased: 0 }
  return convert(reading, first.contents, place, 0)
}

function compose(text: string): ReturnType<Composer['compose']> {
  return new Composer(options).compose(tokens(text))
}

/** Ends with a RangeError, the offset as its cause, where the nesting is hopeless: seconds before the stack overflows. */
function* tokens(text: string): Generator<CST.Token> {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > deepest + 10) throw new RangeError('too deep', { cause: parser.offset })
  }
  yield* parser.end()
}

/** Undefined where there was an error that has been reported. */
function convert(reading: Reading, yaml: YamlNode | null, parent: Place, depth: number): Node | undefined {
  const { source, findings, anchors } = reading
  const place = yaml?.range ? { source, offset: yaml.range[0] } : parent
  if (depth > deepest) return tooDeep(findings, place)
  if (yaml === null) return { kind: 'null', place }
  if (isAlias(yaml)) return dereference(reading, yaml.source, place)
  const anchor = yaml.anchor
  if (anchor !== undefined) anchors.set(anchor, { node: undefined, size: 0 })
  const before = reading.nodes
  reading.nodes++
  const node = convertValue(reading, yaml, place, depth)
  if (anchor !== undefined) {
    if (node === undefined) anchors.set(anchor, { node: { kind: 'null', place }, size: 1 })
    else anchors.set(anchor, { node, size: reading.nodes - before })
  }
  return node
}

function convertValue(reading: Reading, yaml: YamlNode, place: Place, depth: number): Node | undefined {
  if (isScalar(yaml)) {
    // The failsafe schema leaves the text as it is, and `source` holds it even where a known tag has decoded the value.
    const text = yaml.source ?? ''
    const node = resolveScalar(
      text,
      yaml.type === 'PLAIN' || yaml.type === undefined,
      yaml.tag,
      place,
      yaml.range?.[1] ?? place.offset,
    )
    if (node.kind === 'bad') {
      reading.findings.error(place, node.message, 'Correct the value or remove the tag.')
      return undefined
    }
    if (node.kind === 'float' && !Number.isFinite(node.value)) {
      reading.findings.error(
        place,
        `${text} is not a number that a manifest can hold`,
        'Quote it if it is meant as text.',
      )
      return undefined
    }
    return node
  }
  if (isMap(yaml)) return convertMap(reading, yaml.items as Pair<YamlNode, YamlNode | null>[], place, depth)
  if (!isSeq(yaml)) return undefined
  const items: Node[] = []
  for (const item of yaml.items as (YamlNode | Pair<YamlNode, YamlNode | null> | null)[]) {
    const node = convert(reading, item as YamlNode | null, place, depth + 1)
    if (node !== undefined) items.push(node)
  }
  return { kind: 'list', items, place }
}

function convertMap(
  reading: Reading,
  pairs: readonly Pair<YamlNode, YamlNode | null>[],
  place: Place,
  depth: number,
): MapNode {
  const entries = new Map<string, Entry>()
  const forgets = new Set<string>()
  let merged: { readonly keyPlace: Place; readonly value: Node } | undefined
  for (const { key, value } of pairs) {
    const keyPlace = key?.range ? { source: reading.source, offset: key.range[0] } : place
    const merge = isScalar(key) && key.source === '<<' && key.type === 'PLAIN' && key.tag === undefined
    const name = merge ? '<<' : keyName(reading, key, keyPlace, depth)
    if (name !== undefined && (value?.tag === '!reset' || value?.tag === '!override')) forgets.add(name)
    const converted = convert(reading, value ?? null, keyPlace, depth + 1)
    // Read all the same: there may be an anchor in it.
    if (value?.tag === '!reset') continue
    // Nothing has no place to point at, its key has.
    const node = converted?.kind === 'null' ? { ...converted, place: keyPlace } : converted
    if (name === undefined || node === undefined) continue
    const earlier = merge ? merged : entries.get(name)
    if (earlier !== undefined) {
      const remedy = merge ? 'Write one: `<<: [*first, *second]`.' : 'Join the two, or remove one.'
      reading.findings.error(
        keyPlace,
        `the key "${name}" is already set at line ${positionOf(earlier.keyPlace).line}`,
        remedy,
      )
    } else if (merge) merged = { keyPlace, value: node }
    else entries.set(name, { keyPlace, value: node })
  }
  if (merged !== undefined) mergeEntries(entries, forgets, merged.value, merged.keyPlace, reading.findings)
  return { kind: 'map', entries, place, ...(forgets.size > 0 && { forgets }) }
}

function keyName(reading: Reading, key: YamlNode | null, place: Place, depth: number): string | undefined {
  const node = convert(reading, key, place, depth + 1)
  if (node === undefined) return undefined
  if (node.kind === 'string') return node.value
  const text = isScalar(key) ? (key.source ?? '') : ''
  const what =
    node.kind === 'map' || node.kind === 'list'
      ? `a ${node.kind}`
      : node.kind === 'null'
        ? 'null'
        : `the ${node.kind} ${text}`
  reading.findings.error(
    place,
    `a key must be text, but this one is ${what}`,
    text === '' ? 'Name the key.' : `Quote it: "${text}".`,
  )
  return undefined
}

function dereference(reading: Reading, name: string, place: Place): Node | undefined {
  const anchor = reading.anchors.get(name)
  if (anchor === undefined) {
    const known = [...reading.anchors.keys()]
    const hint = known.length === 0 ? '' : ` Known here: ${known.slice(0, 10).join(', ')}.`
    reading.findings.error(
      place,
      `the anchor &${name} that this alias names is not defined before it in this file`,
      `Define it further up; anchors do not reach from one file into another.${hint}`,
    )
    return undefined
  }
  if (anchor.node === undefined) {
    reading.findings.error(
      place,
      `the value of the anchor &${name} contains itself`,
      'Remove the alias, or move the anchor.',
    )
    return undefined
  }
  if (reading.aliased > mostAliased) return undefined
  reading.nodes += anchor.size
  reading.aliased += anchor.size
  if (reading.aliased <= mostAliased) return anchor.node
  reading.findings.error(
    place,
    `the aliases of this file stand for more than ${mostAliased} values`,
    'Aliases that refer to aliases multiply; refer to fewer.',
  )
  return undefined
}

function tooDeep(findings: Findings, place: Place): undefined {
  findings.error(place, `the file nests lists and mappings too deeply (at most ${deepest} levels)`, 'Flatten it.')
}
