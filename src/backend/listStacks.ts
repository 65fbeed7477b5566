import type { CallOptions, Engine } from '../engine/engine.ts'
import type { Snapshot } from '../health/verdict.ts'
import type { Labels } from '../swarm/common.ts'
import { NAMESPACE_LABEL, RELEASE_LABEL, REVISION_LABEL, STATUS_LABEL, TYPE_LABEL } from '../swarm/names.ts'
import type { Config } from '../swarm/secret.ts'
import { ownersOf } from './ownership.ts'
import { isReleaseRecord } from './releaseRecords.ts'
import { readSnapshot } from './snapshot.ts'

/** A stack as the labels of the swarm's objects tell it. */
export interface ListedStack {
  readonly name: string
  /** Its services' names in the swarm, sorted. */
  readonly services: readonly string[]
  /** Whoever owns a part of it, such as `gha/octocat/shop`, sorted; empty for one that no action deployed. */
  readonly owners: readonly string[]
  /** Of its newest release record; undefined where it has none. */
  readonly revision?: number | undefined
  /** `pending-install`, `deployed` or `failed`, as that record says. */
  readonly release?: string | undefined
}

export interface StackList {
  /** Sorted by name. */
  readonly stacks: readonly ListedStack[]
  /** All of their services and tasks. */
  readonly snapshot: Snapshot
}

/** Every stack of the swarm: whatever has a stack's label, were it a secret alone, and what only release records are left of. */
export async function listStacks(engine: Engine, now: () => number, options: CallOptions): Promise<StackList> {
  const label = { label: [NAMESPACE_LABEL] }
  const [snapshot, networks, secrets, configs, records] = await Promise.all([
    readSnapshot(engine, undefined, now, options),
    engine.listNetworks(label, options),
    engine.listSecrets(label, options),
    engine.listConfigs(label, options),
    engine.listConfigs({ label: [`${TYPE_LABEL}=release`] }, options),
  ])
  const releases = records.filter(isReleaseRecord)
  const stackOf = (labels: Labels | null | undefined): string => labels?.[NAMESPACE_LABEL] ?? ''
  const releaseOf = ({ Spec }: Config): string => Spec.Labels?.[RELEASE_LABEL] ?? ''
  const names = new Set([
    ...[...snapshot.services, ...secrets, ...configs].map(({ Spec }) => stackOf(Spec.Labels)),
    ...networks.map(({ Labels }) => stackOf(Labels)),
    ...releases.map(releaseOf),
  ])
  names.delete('')
  const stacks = [...names].sort().map((name): ListedStack => {
    const services = snapshot.services.filter(({ Spec }) => stackOf(Spec.Labels) === name)
    const ofStack = releases.filter((record) => releaseOf(record) === name)
    const [newest] = [...ofStack].sort((left, right) => revisionOf(right) - revisionOf(left))
    return {
      name,
      services: services.map(({ Spec }) => Spec.Name ?? '').sort(),
      owners: [...ownersOf(name, services, ofStack).keys()],
      ...(newest && { revision: revisionOf(newest), release: newest.Spec.Labels?.[STATUS_LABEL] ?? '' }),
    }
  })
  return { stacks, snapshot }
}

// --- Internal helpers ---

function revisionOf({ Spec }: Config): number {
  return Number(Spec.Labels?.[REVISION_LABEL]) || 0
}
