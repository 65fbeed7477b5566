import { posix } from 'node:path'
import type { Service, ServiceVolume } from '../compose/stack.ts'
import { manifestWarning, type Report } from './findings.ts'

/**
 * The mount with the source that the nodes shall see. A relative bind source was made a path of the runner, as docker does;
 * with `bindRoot`, a folder of the nodes, it becomes a path in there instead.
 */
export function placeBind(
  volume: ServiceVolume,
  service: Service,
  bindRoot: string | undefined,
  report: Report,
): ServiceVolume {
  const { writtenSource } = volume
  if (volume.type !== 'bind' || writtenSource === undefined) return volume
  const ofHome = writtenSource.startsWith('~')
  if (bindRoot !== undefined && !ofHome) return { ...volume, source: posix.resolve(bindRoot, writtenSource) }
  report(
    manifestWarning(
      volume.place,
      `service ${service.name}: the bind source "${writtenSource}" becomes a path of the runner, which the nodes do not have`,
      ofHome
        ? 'Write an absolute path of the nodes, or use a config, a secret or a volume.'
        : 'Set "bind-root" to the folder on the nodes that it is relative to, write an absolute path, or use a config, a secret or a volume.',
    ),
  )
  return volume
}
