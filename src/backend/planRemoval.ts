import { DeployError } from '../errors.ts'
import { NAMESPACE_LABEL, RELEASE_LABEL } from '../swarm/names.ts'
import type { Change } from './change.ts'
import { refuseForeign } from './ownership.ts'
import { isReleaseRecord } from './releaseRecords.ts'
import { createLook } from './stackRemains.ts'
import type { Writing } from './writing.ts'

/** What there is to remove of a stack, and what nobody can reach from here. */
export interface Removal {
  readonly namespace: string
  /** Whether the swarm shows nothing of it at all, its volumes and release records aside. */
  readonly isAbsent: boolean
  /** Those with the stack's label on the node that answers, sorted. */
  readonly volumes: readonly string[]
  readonly records: readonly { readonly id: string; readonly name: string }[]
  /** Hostname of the node that answers. */
  readonly node: string
  /** Hostnames of all other nodes, sorted: each may have volumes of the stack. */
  readonly otherNodes: readonly string[]
}

/**
 * Looks at all of a stack before anything of it is removed, and names it to the journal.
 * Throws `conflict` where it is somebody else's.
 */
export async function planRemoval(
  namespace: string,
  withVolumes: boolean,
  { engine, settings }: Writing,
): Promise<Removal> {
  if (namespace === '') throw new DeployError('input', 'a stack without a name cannot be removed')
  const options = { signal: settings.signal }
  const label = [`${NAMESPACE_LABEL}=${namespace}`]
  const [remains, services, releases, volumes, info, nodes] = await Promise.all([
    createLook(namespace, engine, settings.signal)(),
    engine.listServices({ label }, options),
    engine.listConfigs({ label: [`${RELEASE_LABEL}=${namespace}`] }, options),
    engine.listVolumes({ label }, options),
    engine.info(options),
    engine.listNodes(undefined, options),
  ])
  const records = releases.filter(isReleaseRecord)
  refuseForeign(namespace, services, records, settings)
  const names = volumes.map(({ Name }) => Name).sort()
  const recorded = records
    .map(({ ID, Spec }) => ({ id: ID, name: Spec.Name ?? ID }))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
  const removed =
    (kind: Change['kind']) =>
    (name: string): Change => ({ kind, name, action: 'remove', fields: [] })
  settings.journal.plan([
    ...remains.objects.map(({ kind, name }) => removed(kind)(name)),
    ...(withVolumes ? names.map(removed('volume')) : []),
    ...recorded.map(({ name }) => removed('config')(name)),
  ])
  return {
    namespace,
    isAbsent: remains.objects.length === 0 && remains.tasks.length === 0,
    volumes: names,
    records: recorded,
    node: info.Name ?? '',
    otherNodes: nodes
      .filter(({ ID }) => ID !== info.Swarm?.NodeID)
      .map(({ ID, Description }) => Description.Hostname ?? ID)
      .sort(),
  }
}
