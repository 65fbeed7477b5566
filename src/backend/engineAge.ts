import type { NetworkObject, ServiceObject, StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import type { MountType } from '../swarm/mount.ts'
import type { ContainerSpec } from '../swarm/service.ts'

/** The Engine API version that brought something, and the Docker version that first spoke that. */
interface Since {
  readonly api: string
  readonly docker: string
}

interface NewField extends Since {
  /** The manifest's key. */
  readonly key: string
  readonly isUsed: (container: ContainerSpec) => boolean
  /** Absent where a service without it would be another one: it is refused then. */
  readonly without?: (container: ContainerSpec) => ContainerSpec
}

/**
 * All fields that the converter writes and that came after API 1.41, the oldest that this action speaks. An older engine drops them
 * without a word: sent all the same, they would seem to differ at every deployment. Held against engines 20.10, 26.1 and 28.5.
 */
const newFields: readonly NewField[] = [
  {
    api: '1.44',
    docker: '25.0',
    key: 'healthcheck.start_interval',
    isUsed: ({ Healthcheck: check }) => Boolean(check?.StartInterval),
    without: ({ Healthcheck: check, ...rest }) => {
      const { StartInterval: _new, ...known } = check ?? {}
      return { ...rest, Healthcheck: known }
    },
  },
  {
    api: '1.45',
    docker: '26.0',
    key: 'volumes.volume.subpath',
    isUsed: ({ Mounts: mounts }) => (mounts ?? []).some((mount) => Boolean(mount.VolumeOptions?.Subpath)),
    // Without it the whole volume would be mounted.
  },
  {
    api: '1.46',
    docker: '27.0',
    key: 'oom_score_adj',
    isUsed: ({ OomScoreAdj: value }) => Boolean(value),
    without: ({ OomScoreAdj: _new, ...rest }) => rest,
  },
]

/** Kinds of mounts that came later, too: engines refuse those that they do not know, but only when a network and more is written. */
const newMounts: Readonly<Partial<Record<MountType, Since | undefined>>> = {
  cluster: { api: '1.42', docker: '23.0' },
  // 'invalid MountType: "image"', says Swarm of engine 28.5, though containers of their own have had them since API 1.48.
  image: undefined,
}

/**
 * The stack as far as the engine knows its fields. What it does not know is reported: as a warning where it can be left out, as an
 * error where something else would come of it.
 */
export function forEngine(
  stack: StackSpec,
  apiVersion: string | undefined,
  report: (problem: Problem) => void,
): StackSpec {
  if (apiVersion === undefined) return stack
  for (const network of stack.networks) checkNetwork(network, report)
  const services = stack.services.map((service) => {
    const container = service.spec.TaskTemplate.ContainerSpec
    if (!container) return service
    checkMounts(service, container, apiVersion, report)
    const unknown = newFields.filter((field) => isOlder(apiVersion, field.api) && field.isUsed(container))
    if (unknown.length === 0) return service
    for (const { key, without, ...since } of unknown) {
      report(tooOld(without ? 'warning' : 'error', service, key, `"${key}"`, since, apiVersion))
    }
    const ContainerSpec = unknown.reduce((known, { without }) => without?.(known) ?? known, container)
    return { ...service, spec: { ...service.spec, TaskTemplate: { ...service.spec.TaskTemplate, ContainerSpec } } }
  })
  return { ...stack, services }
}

// --- Internal helpers ---

/** Engines before API 1.48 drop the field, later ones say "IPv4 cannot be disabled in a Swarm scoped network". */
function checkNetwork(network: NetworkObject, report: (problem: Problem) => void): void {
  if (network.external || network.spec.EnableIPv4 !== false) return
  report({
    severity: 'error',
    code: 'unsupported',
    message: `the network "${network.name}" has "enable_ipv4: false", and Swarm has no networks without IPv4`,
    position: network.position,
    remedy: 'Take "enable_ipv4" out of the manifest.',
  })
}

function checkMounts(
  service: ServiceObject,
  { Mounts: mounts }: ContainerSpec,
  apiVersion: string,
  report: (problem: Problem) => void,
): void {
  for (const [index, { Type: type }] of (mounts ?? []).entries()) {
    if (type === undefined || !Object.hasOwn(newMounts, type)) continue
    const since = newMounts[type]
    if (since && !isOlder(apiVersion, since.api)) continue
    report(tooOld('error', service, `volumes.${index}`, `a mount of type "${type}"`, since, apiVersion))
  }
}

/** @param since undefined for what no engine takes for a service yet */
function tooOld(
  severity: Problem['severity'],
  { key, places, position }: ServiceObject,
  place: string,
  what: string,
  since: Since | undefined,
  apiVersion: string,
): Problem {
  const why =
    since === undefined
      ? `Swarm does not know ${what}`
      : `the engine does not know ${what}, which came with API ${since.api} (it speaks ${apiVersion})`
  const update = since === undefined ? '' : `Update the managers and all nodes to Docker ${since.docker} or newer, or `
  return {
    severity,
    code: 'unsupported',
    message: `service ${key}: ${why}${severity === 'warning' ? '; it is left out' : ''}`,
    position: places[place] ?? places[place.split('.', 1)[0] ?? ''] ?? position,
    remedy: `${update}${update === '' ? 'Take' : 'take'} it out of the manifest.`,
  }
}

function isOlder(version: string, wanted: string): boolean {
  const [[major = 0, minor = 0], [wantedMajor = 0, wantedMinor = 0]] = [numbers(version), numbers(wanted)]
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor)
}

function numbers(version: string): readonly number[] {
  return version.split('.').map(Number)
}
