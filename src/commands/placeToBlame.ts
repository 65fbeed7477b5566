import type { ServiceObject } from '../convert/stackSpec.ts'
import type { FailureCode, Position } from '../errors.ts'
import type { Verdict } from '../health/verdict.ts'

/** The keys of the manifest that a failure is most likely about, nearest first. */
const BLAMED: Partial<Record<FailureCode, readonly string[]>> = {
  unhealthy: ['healthcheck', 'image'],
  'no-suitable-node': ['deploy.placement', 'deploy.resources', 'deploy'],
  'out-of-memory': ['deploy.resources', 'image'],
  'port-in-use': ['ports.0', 'ports'],
  mount: ['volumes.0', 'volumes'],
  network: ['networks'],
}

/** The same where the scheduler says why it found no node. Of several reasons the first one here counts. */
const BLAMED_BY_SCHEDULER: readonly Rule[] = [
  [/constraints not satisfied|max replicas/, ['deploy.placement']],
  [/insufficient resources/, ['deploy.resources']],
  [/host-mode port/, ['ports']],
  [/volume driver/, ['volumes']],
  [/log driver/, ['logging']],
  [/unsupported platform/, ['image']],
]

/** The same where a node says what of a container it refused. */
const BLAMED_BY_NODE: readonly Rule[] = [
  [/failed to initialize logging driver/, ['logging']],
  [/\/proc\/sys\/|sysctl/, ['sysctls']],
  [/setting rlimit/, ['ulimits']],
  [/range of cpus|minimum memory limit/i, ['deploy.resources']],
  [/invalid capadd|unknown capability/i, ['cap_add']],
  [/unable to find (user|group)/, ['user']],
  [/exec: "|executable file not found/, ['entrypoint', 'command']],
]

type Rule = readonly [RegExp, readonly string[]]

/** The line to mend: that of what the failure's sentence names, else of what such failures mostly are about, else the service's. */
export function placeToBlame(source: ServiceObject, { code, cause, sentence }: Verdict): Position {
  const reason = cause ?? code
  const rules = reason === 'no-suitable-node' ? BLAMED_BY_SCHEDULER : BLAMED_BY_NODE
  const keys = [
    ...named(source, reason, sentence),
    ...(rules.find(([pattern]) => pattern.test(sentence))?.[1] ?? []),
    ...((reason && BLAMED[reason]) ?? ['image']),
  ]
  for (const key of keys) {
    const place = source.places[key]
    if (place !== undefined) return place
  }
  return source.position
}

// --- Internal helpers ---

/** The port or mount of several that the sentence names. */
function named({ spec }: ServiceObject, reason: FailureCode | undefined, sentence: string): readonly string[] {
  if (reason === 'port-in-use') {
    const ports = spec.EndpointSpec?.Ports ?? []
    return ports.flatMap(({ PublishedPort: port }, index) =>
      new RegExp(`:${port}\\b`).test(sentence) ? [`ports.${index}`] : [],
    )
  }
  if (reason !== 'mount') return []
  const words = new Set(sentence.split(/[\s"',;]+/).flatMap((word) => [word, word.replace(/:$/, '')]))
  const mounts = spec.TaskTemplate.ContainerSpec?.Mounts ?? []
  return mounts.flatMap(({ Source: from = '', Target: to = '' }, index) =>
    [from, to].some((path) => path !== '' && words.has(path)) ? [`volumes.${index}`] : [],
  )
}
