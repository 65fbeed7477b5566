// `include`: other files, each a project with paths and variables of its own. Source: the Compose Specification.
import { posix } from 'node:path'
import type { Position } from '../errors.ts'
import { noteValues } from './asWritten.ts'
import { parseDotenv } from './dotenv.ts'
import { itemsAt, textsAt, valueAt } from './fields.ts'
import type { Findings } from './findings.ts'
import type { Project } from './loadFiles.ts'
import { type MapNode, type Node, type StringNode, shown } from './node.ts'
import { type Loading, openFile } from './openFile.ts'
import { resolvePath } from './paths.ts'
import type { Reading } from './reading.ts'
import type { Place } from './source.ts'
import type { Service, Stack } from './stack.ts'
import type { Variables } from './variables.ts'

const deepest = 20
/** Two includes in each of twenty files would be a million. */
const most = 1000

type Load = (loading: Loading, project: Project) => Stack | undefined

/** The stacks of all files that `root` includes. `chain`: the absolute paths of the files through which it was reached. */
export function readIncluded(
  loading: Loading,
  reading: Reading,
  root: MapNode,
  chain: readonly string[],
  load: Load,
): readonly { readonly stack: Stack; readonly place: Place }[] {
  return itemsAt(root, 'include').flatMap((item) => {
    const project = projectOf(loading, reading, item, chain)
    const stack = project && loadOnce(loading, project, load)
    return stack === undefined ? [] : { stack, place: item.place }
  })
}

/** The same files with the same paths and variables are the same project, by however many ways it is reached. */
function loadOnce(loading: Loading, project: Project, load: Load): Stack | undefined {
  const known = loading.included.get(project.variables) ?? new Map<string, Stack | undefined>()
  loading.included.set(project.variables, known)
  const key = [project.folder, ...project.files.map(({ absolute }) => absolute)].join('\0')
  if (!known.has(key)) known.set(key, load(loading, project))
  return known.get(key)
}

/** Adds what is included to what the file itself has. The same thing reached by two ways is one; two with one name are an error. */
export function addIncluded(own: Stack, included: ReturnType<typeof readIncluded>, findings: Findings): Stack {
  let stack = own
  for (const { stack: other, place } of included) stack = join(stack, other, place, findings)
  return stack
}

function join(own: Stack, other: Stack, place: Place, findings: Findings): Stack {
  const both = <Value>(
    kind: string,
    mine: ReadonlyMap<string, Value>,
    theirs: ReadonlyMap<string, Value>,
    positionOf: (value: Value) => Position,
  ): ReadonlyMap<string, Value> => {
    for (const [name, value] of theirs) {
      const earlier = mine.get(name)
      if (earlier === undefined) continue
      const [one, two] = [positionOf(earlier), positionOf(value)]
      if (one.file === two.file && one.line === two.line && one.column === two.column) continue
      const message = `the ${kind} ${name} of ${two.file}:${two.line}, included here, is defined at ${one.file}:${one.line} too`
      findings.error(place, message, 'Rename one, or change it in a further file of the input `manifest`.')
    }
    return new Map([...theirs, ...mine])
  }
  const byName = (services: readonly Service[]) => new Map(services.map((service) => [service.name, service]))
  const services = both('service', byName(own.services), byName(other.services), ({ places }) => places.service)
  return {
    ...own,
    services: [...services.values()],
    networks: both('network', own.networks, other.networks, (network) => network.place),
    volumes: both('volume', own.volumes, other.volumes, (volume) => volume.place),
    secrets: both('secret', own.secrets, other.secrets, (secret) => secret.place),
    configs: both('config', own.configs, other.configs, (config) => config.place),
  }
}

/** A path, or a mapping with `path`, `project_directory` and `env_file`; undefined after an error. */
function projectOf(
  loading: Loading,
  { findings, folder, variables }: Reading,
  item: Node,
  chain: readonly string[],
): Project | undefined {
  const map = item.kind === 'map' ? item : undefined
  const paths = item.kind === 'string' ? [item] : textsAt(map, 'path')
  const [first] = paths
  if (first === undefined) {
    if (map?.entries.has('path')) findings.error(item.place, 'this include names no file', 'Add one to `path:`.')
    return undefined
  }
  const open = (node: StringNode) => {
    const file = openFile(loading, resolvePath(folder, node.value), ({ reason, remedy }) => {
      findings.error(node.place, `the included file ${shown(node)} ${reason}`, remedy)
    })
    if (file === undefined || !chain.includes(file.absolute)) return file
    findings.error(node.place, `the file ${shown(node)} includes itself`, 'Remove one of the includes on the way.')
    return undefined
  }
  const files = paths.map(open)
  if (chain.length > deepest) {
    findings.error(first.place, `files include each other more than ${deepest} deep`, 'Include fewer.')
    return undefined
  }
  if (++loading.includes.count > most) {
    if (loading.includes.count === most + 1) {
      findings.error(first.place, `there are more than ${most} includes, one inside the other`, 'Include fewer.')
    }
    return undefined
  }
  const own = files.filter((file) => file !== undefined)
  if (own.length < files.length) return undefined
  const directory = valueAt(map, 'project_directory')
  return {
    files: own,
    folder:
      directory?.kind === 'string'
        ? resolvePath(folder, directory.value)
        : posix.dirname(own[0]?.absolute ?? resolvePath(folder, first.value)),
    variables: withEnvFiles(loading, variables, textsAt(map, 'env_file'), folder),
    chain,
  }
}

/** What the run's own variables have goes before the files, of which the later goes before the earlier. */
function withEnvFiles(
  { readFile, findings, written }: Loading,
  outer: Variables,
  paths: readonly StringNode[],
  folder: string,
): Variables {
  if (paths.length === 0) return outer
  const fromFiles = new Map<string, string>()
  for (const node of paths) {
    const { variables, problems } = parseDotenv(resolvePath(folder, node.value), readFile, outer.isHidden)
    for (const [name, value] of variables) fromFiles.set(name, value)
    for (const { message, remedy, position } of problems) {
      if (position === undefined) findings.error(node.place, message, remedy)
      else findings.errorAt(position, message, remedy)
    }
  }
  const both: Variables = { get: (name) => outer.get(name) ?? fromFiles.get(name), isHidden: outer.isHidden }
  return noteValues(both, written)
}
