import type { ServiceObject, StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import type { Labels } from '../swarm/common.ts'
import type { Mount } from '../swarm/mount.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Observation } from './observe.ts'

/** A volume that is to have other settings than those it was made with. */
export interface VolumeDrift {
  /** The swarm's name. */
  readonly name: string
  /** What differs, such as `driver`, `option device`, `label tier`. No values: a password may be among them. */
  readonly settings: readonly string[]
  readonly position: Problem['position']
}

/**
 * The volumes whose settings change. A node makes a volume for the first task that mounts it, and docker then keeps it as it is, whatever
 * later tasks say. Nobody but the nodes knows their volumes; but what services mount now says how they were made.
 */
export function volumeDrifts(
  { services }: StackSpec,
  observation: Pick<Observation, 'services'>,
  report: (problem: Problem) => void,
): readonly VolumeDrift[] {
  const live = [...observation.services.values()].flatMap(({ Spec }) => namedVolumes(Spec))
  const drifts = new Map<string, VolumeDrift>()
  for (const service of services) {
    for (const [index, mount] of (service.spec.TaskTemplate.ContainerSpec?.Mounts ?? []).entries()) {
      const name = mount.Source ?? ''
      if (!isOwnVolume(mount) || drifts.has(name)) continue
      // Labels may differ from mount to mount: what one of them says has been seen.
      const [settings = []] = live
        .filter(({ Source }) => Source === name)
        .map((other) => differingSettings(other, mount))
        .sort((one, other) => one.length - other.length)
      if (settings.length === 0) continue
      const drift = { name, settings, position: placeOf(service, index) }
      drifts.set(name, drift)
      report(problemOf(drift))
    }
  }
  return [...drifts.values()]
}

// --- Internal helpers ---

function namedVolumes({ TaskTemplate }: ServiceObject['spec']): readonly Mount[] {
  return (TaskTemplate.ContainerSpec?.Mounts ?? []).filter(({ Type, Source }) => Type === 'volume' && Boolean(Source))
}

/** Not an external one: that is to be as whoever made it wanted it. */
function isOwnVolume({ Type, Source, VolumeOptions }: Mount): boolean {
  return Type === 'volume' && Boolean(Source) && VolumeOptions?.Labels?.[NAMESPACE_LABEL] !== undefined
}

function differingSettings({ VolumeOptions: live }: Mount, { VolumeOptions: wanted }: Mount): readonly string[] {
  const driver = (options: Mount['VolumeOptions']): string => options?.DriverConfig?.Name || 'local'
  return [
    ...(driver(live) === driver(wanted) ? [] : ['driver']),
    ...differingKeys('option', live?.DriverConfig?.Options, wanted?.DriverConfig?.Options),
    ...differingKeys('label', live?.Labels, wanted?.Labels),
  ]
}

function differingKeys(what: string, live: Labels | null = {}, wanted: Labels | null = {}): readonly string[] {
  return [...new Set([...Object.keys(live ?? {}), ...Object.keys(wanted ?? {})])]
    .filter((key) => live?.[key] !== wanted?.[key])
    .sort()
    .map((key) => `${what} ${key}`)
}

function placeOf({ places, position }: ServiceObject, index: number): Problem['position'] {
  return places[`volumeDefinitions.${index}`] ?? places[`volumes.${index}`] ?? position
}

function problemOf({ name, settings, position }: VolumeDrift): Problem {
  return {
    severity: 'warning',
    code: 'conflict',
    message: `the volume "${name}" gets other settings (${settings.join(', ')}), but where it exists it stays as it is`,
    position,
    remedy: `Docker keeps a volume as it was created. Remove it by hand on each node that has it, once no task uses it ("docker volume rm ${name}": what is in it is lost); or give it another "name:", and a new one is made.`,
  }
}
