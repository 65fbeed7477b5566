import type { Service, ServiceVolume, Stack, VolumeDefinition } from '../compose/stack.ts'
import type { Mount, MountPropagation, MountType, VolumeOptions } from '../swarm/mount.ts'
import { scopedName } from '../swarm/names.ts'
import { placeBind } from './bindSource.ts'
import { didYouMean, manifestError, manifestWarning, type Report } from './findings.ts'
import { nonEmpty, present, stackLabels, wireMap, word } from './wire.ts'

export interface MountOptions {
  /** A folder of the nodes for relative bind sources; without it they are paths of the runner's checkout. */
  readonly bindRoot?: string | undefined
}

type OptionBlock = 'image' | 'tmpfs' | 'bind' | 'volume' | 'cluster'

/** Which option blocks docker refuses for a mount of each type. Source: docker/cli cli/compose/convert/volume.go. */
const foreignBlocks: Readonly<Record<MountType, readonly OptionBlock[]>> = {
  volume: ['image', 'tmpfs', 'bind', 'cluster'],
  bind: ['volume', 'image', 'tmpfs', 'cluster'],
  tmpfs: ['bind', 'volume', 'image', 'cluster'],
  npipe: ['volume', 'image', 'tmpfs'],
  image: ['volume', 'bind', 'tmpfs', 'cluster'],
  cluster: ['tmpfs', 'bind', 'volume'],
}

/** `ContainerSpec.Mounts`, in the manifest's order. */
export function convertMounts(
  service: Service,
  stack: Stack,
  namespace: string,
  options: MountOptions,
  report: Report,
): readonly Mount[] {
  const targets = new Set<string>()
  return service.volumes.map((volume) => {
    const refuse = (message: string, remedy: string): void =>
      report(manifestError(volume.place, `service ${service.name}: ${message}`, remedy))
    if (targets.has(volume.target)) {
      refuse(`duplicate mount point "${volume.target}"`, 'Give each mount of a service its own target.')
    }
    targets.add(volume.target)
    checkTarget(volume, service, report)
    const placed = placeBind(volume, service, options.bindRoot, report)
    return convertMount(placed, stack, namespace, refuse)
  })
}

// --- Internal helpers ---

type Refuse = (message: string, remedy: string) => void

function convertMount(volume: ServiceVolume, stack: Stack, namespace: string, refuse: Refuse): Mount {
  const type = volume.type === '' ? 'volume' : volume.type
  if (!isMountType(type)) {
    refuse(`volume type must be volume, bind, tmpfs, npipe, image or cluster, not "${type}"`, 'Correct its "type:".')
    return {}
  }
  for (const block of foreignBlocks[type]) {
    if (volume[block] === undefined) continue
    refuse(`${block} options are incompatible with type ${type}`, `Remove "${block}:", or change the mount's "type:".`)
  }
  if (type === 'tmpfs' && volume.source !== '') {
    refuse('invalid tmpfs source, source must be empty', 'Remove "source:": a tmpfs has none.')
  }
  if (type !== 'tmpfs' && type !== 'volume' && volume.source === '') {
    refuse(`invalid ${type} source, source cannot be empty`, 'Add "source:".')
  }
  const named = namedVolume(type, volume, stack, namespace, refuse)
  return present({
    Type: volume.type === '' ? undefined : type,
    Source: nonEmpty(named?.source ?? volume.source),
    Target: nonEmpty(volume.target),
    ReadOnly: nonEmpty(volume.readOnly),
    Consistency: nonEmpty(volume.consistency),
    BindOptions: volume.bind && present({ Propagation: word<MountPropagation>(volume.bind.propagation) }),
    VolumeOptions: type === 'volume' && named ? volumeOptions(volume, named.definition, namespace) : undefined,
    ImageOptions: volume.image && present({ Subpath: nonEmpty(volume.image.subpath) }),
    TmpfsOptions:
      volume.tmpfs && present({ SizeBytes: nonEmpty(volume.tmpfs.size), Mode: nonEmpty(volume.tmpfs.mode) }),
    ClusterOptions: type === 'cluster' ? {} : undefined,
  })
}

function isMountType(type: string): type is MountType {
  return Object.hasOwn(foreignBlocks, type)
}

/** The volume that a mount names, with its name in the swarm; undefined for an anonymous one and for other types. */
function namedVolume(
  type: MountType,
  volume: ServiceVolume,
  stack: Stack,
  namespace: string,
  refuse: Refuse,
): { readonly source: string; readonly definition: VolumeDefinition } | undefined {
  const named = type === 'volume' || (type === 'cluster' && !volume.source.startsWith('group:'))
  if (!named || volume.source === '') return undefined
  const definition = stack.volumes.get(volume.source)
  if (definition === undefined) {
    const path = volume.source.includes('/') ? ', or begin it with "./" if it is a path' : ''
    refuse(
      `undefined volume "${volume.source}"${didYouMean(volume.source, stack.volumes.keys())}`,
      `Declare it under the top-level "volumes:"${path}.`,
    )
    return undefined
  }
  return { source: definition.name || scopedName(namespace, volume.source), definition }
}

/** A volume is made where a task lands, from what its mount says: only the stack's own carry labels and a driver. */
function volumeOptions(volume: ServiceVolume, definition: VolumeDefinition, namespace: string): VolumeOptions {
  const { external, driver, driverOpts } = definition
  const options = wireMap(driverOpts)
  const given = driver !== '' || options !== undefined
  return present({
    NoCopy: nonEmpty(volume.volume?.nocopy),
    Labels: external
      ? undefined
      : stackLabels(new Map([...definition.labels, ...(volume.volume?.labels ?? [])]), namespace),
    Subpath: nonEmpty(volume.volume?.subpath),
    DriverConfig: !external && given ? present({ Name: nonEmpty(driver), Options: options }) : undefined,
  })
}

/** The Engine takes any target, and then no task can start. Windows paths have a drive or a backslash. */
function checkTarget({ target, place }: ServiceVolume, service: Service, report: Report): void {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(target)) return
  report(
    manifestWarning(
      place,
      `service ${service.name}: the mount target "${target}" is not an absolute path, and no task will start with it`,
      'Write the whole path inside the container, beginning with "/".',
    ),
  )
}
