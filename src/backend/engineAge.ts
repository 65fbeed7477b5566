import type { ServiceObject, StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import type { MountType } from '../swarm/mount.ts'
import type { ContainerSpec } from '../swarm/service.ts'

interface NewField {
  /** The Engine API version that brought it, and the Docker version that first spoke that. */
  readonly api: string
  readonly docker: string
  /** The manifest's key. */
  readonly key: string
  readonly isUsed: (container: ContainerSpec) => boolean
  readonly without: (container: ContainerSpec) => ContainerSpec
}

/** Fields that an older engine drops without a word: sent all the same, they would seem to differ at every deployment. */
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
    without: ({ Mounts: mounts, ...rest }) => ({
      ...rest,
      Mounts: (mounts ?? []).map((mount) => {
        const { Subpath: _new, ...known } = mount.VolumeOptions ?? {}
        return mount.VolumeOptions ? { ...mount, VolumeOptions: known } : mount
      }),
    }),
  },
  {
    api: '1.46',
    docker: '27.0',
    key: 'oom_score_adj',
    isUsed: ({ OomScoreAdj: value }) => Boolean(value),
    without: ({ OomScoreAdj: _new, ...rest }) => rest,
  },
]

/** Kinds of mounts that an older engine takes for a bind mount. */
const newMounts: Readonly<Partial<Record<MountType, { readonly api: string; readonly docker: string }>>> = {
  cluster: { api: '1.42', docker: '23.0' },
  image: { api: '1.48', docker: '28.0' },
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
  const services = stack.services.map((service) => {
    const container = service.spec.TaskTemplate.ContainerSpec
    if (!container) return service
    reportMounts(service, container, apiVersion, report)
    const dropped = newFields.filter((field) => isOlder(apiVersion, field.api) && field.isUsed(container))
    if (dropped.length === 0) return service
    for (const { key, api, docker } of dropped)
      report(tooOld('warning', service, key, `"${key}"`, api, docker, apiVersion))
    const ContainerSpec = dropped.reduce((known, field) => field.without(known), container)
    return { ...service, spec: { ...service.spec, TaskTemplate: { ...service.spec.TaskTemplate, ContainerSpec } } }
  })
  return { ...stack, services }
}

// --- Internal helpers ---

function reportMounts(
  service: ServiceObject,
  { Mounts: mounts }: ContainerSpec,
  apiVersion: string,
  report: (problem: Problem) => void,
): void {
  for (const [index, { Type: type }] of (mounts ?? []).entries()) {
    const since = type && newMounts[type]
    if (!since || !isOlder(apiVersion, since.api)) continue
    report(
      tooOld('error', service, `volumes.${index}`, `a mount of type "${type}"`, since.api, since.docker, apiVersion),
    )
  }
}

function tooOld(
  severity: Problem['severity'],
  { key, places, position }: ServiceObject,
  place: string,
  what: string,
  api: string,
  docker: string,
  apiVersion: string,
): Problem {
  return {
    severity,
    code: 'unsupported',
    message: `service ${key}: the engine does not know ${what}, which came with API ${api} (it speaks ${apiVersion})${severity === 'warning' ? '; it is left out' : ''}`,
    position: places[place] ?? places[place.split('.', 1)[0] ?? ''] ?? position,
    remedy: `Update the managers to Docker ${docker} or newer, or take it out of the manifest.`,
  }
}

function isOlder(version: string, wanted: string): boolean {
  const [[major = 0, minor = 0], [wantedMajor = 0, wantedMinor = 0]] = [numbers(version), numbers(wanted)]
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor)
}

function numbers(version: string): readonly number[] {
  return version.split('.').map(Number)
}
