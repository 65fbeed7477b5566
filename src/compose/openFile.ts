// Reads and parses one manifest of a run: those of the input, and those that they include or extend.
import type { Written } from './asWritten.ts'
import { decodeText } from './decodeText.ts'
import type { FileReader, FileRefused } from './fileReader.ts'
import type { Findings } from './findings.ts'
import type { MapNode } from './node.ts'
import { makeSource, type Place, type Source } from './source.ts'
import type { Stack } from './stack.ts'
import type { Variables } from './variables.ts'
import { readVersion } from './version.ts'
import { parseYaml } from './yamlTree.ts'

/** What all files of one run share. */
export interface Loading {
  readonly readFile: FileReader
  readonly findings: Findings
  /** `$HOME`, for a leading `~` in bind sources. */
  readonly home: string | undefined
  /** The contents of secrets are not read. */
  readonly secretsAreThere: boolean
  /** By the name that messages show. */
  readonly sources: Map<string, Source>
  /** The same names in the order in which their problems shall come. */
  readonly order: string[]
  /** What the stack was made of: manifests and contents of configs, by the name that messages show, as their bytes are. */
  readonly files: Map<string, Uint8Array>
  /** By absolute path; undefined for a file with an error that leaves no tree to look at. */
  readonly opened: Map<string, OpenedFile | undefined>
  /** Services of other files that were extended, by path and name, for each set of variables. */
  readonly extended: Map<Variables, Map<string, Extended>>
  /** Services, by path and name, whose extending has no end, or a too distant one: said once, and not tried again. */
  readonly tooDeep: Set<string>
  /** All trees, interpolated, that ignored keys are looked for in. */
  readonly roots: MapNode[]
  readonly written: Written
  /** Projects that were included, by folder and files, for each set of variables. */
  readonly included: Map<Variables, Map<string, Stack | undefined>>
  readonly includes: { count: number }
  /** Unset variables that were warned of. */
  readonly warned: Set<string>
}

export interface Extended {
  readonly file: OpenedFile
  /** Interpolated and validated, with the wanted service only. */
  readonly root: MapNode
  readonly place: { readonly folder: string; readonly version: number }
}

export interface OpenedFile {
  readonly absolute: string
  readonly source: Source
  /** Not interpolated. */
  readonly root: MapNode
  readonly version: number
}

/** Undefined after an error, which has been reported: by `refuse` where the file could not be read. */
export function openFile(
  loading: Loading,
  path: string,
  refuse: (refused: FileRefused) => void,
): OpenedFile | undefined {
  const read = loading.readFile(path)
  if (!loading.order.includes(read.shown)) loading.order.push(read.shown)
  if (read.content === undefined) {
    refuse(read)
    return undefined
  }
  const { absolute } = read
  loading.files.set(read.shown, read.content)
  if (!loading.opened.has(absolute)) {
    loading.opened.set(absolute, parseFile(loading, absolute, read.shown, read.content))
  }
  return loading.opened.get(absolute)
}

function parseFile(
  { sources, findings }: Loading,
  absolute: string,
  shown: string,
  content: Uint8Array,
): OpenedFile | undefined {
  const text = decodeText(content)
  const source = makeSource(shown, typeof text === 'string' ? text : text.text)
  sources.set(shown, source)
  const place: Place = { source, offset: 0 }
  if (typeof text !== 'string') {
    findings.error({ source, offset: text.offset }, text.message, text.remedy)
    return undefined
  }
  const root = parseYaml(source, findings)
  if (root === undefined) return undefined
  if (root.kind === 'map') return { absolute, source, root, version: readVersion(root, findings) }
  const message = root.kind === 'null' ? 'the file is empty' : 'the file must hold a mapping at its top level'
  findings.error(place, message, 'Begin with `services:`.')
  return undefined
}
