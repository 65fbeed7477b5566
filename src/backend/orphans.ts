import { releasesOf } from '../history/releases.ts'
import type { Labels } from '../swarm/common.ts'
import { CREATED_LABEL, NAMESPACE_LABEL, OWNER_LABEL, RELEASE_LABEL } from '../swarm/names.ts'
import type { Network } from '../swarm/network.ts'
import type { Config, Secret } from '../swarm/secret.ts'
import type { Service } from '../swarm/service.ts'
import { generationsOf } from './generations.ts'
import type { Kept } from './kept.ts'
import { ownerIn } from './ownership.ts'
import { referencesOf } from './references.ts'
import { isReleaseRecord } from './releaseRecords.ts'

/** What orphans are found in. */
export interface StackSight {
  /** Those of other stacks too, as far as their references are to count. */
  readonly services: readonly Service[]
  readonly networks: readonly Network[]
  readonly secrets: readonly Secret[]
  readonly configs: readonly Config[]
  readonly records: readonly Config[]
}

export interface Orphan {
  readonly kind: 'service' | 'config' | 'secret' | 'network'
  readonly id: string
  readonly name: string
  /** An older generation of a secret or config that the manifest still has. */
  readonly isSuperseded: boolean
}

export interface SparedOrphan extends Orphan {
  /** `foreign`: not provably made by this action for this owner. `referenced`: something uses it, or could go back to it. */
  readonly why: 'foreign' | 'referenced'
  /** Such as `a rollback of service shop_web needs it`. */
  readonly reason: string
}

export interface Orphans {
  /** In the order of removal. */
  readonly removable: readonly Orphan[]
  readonly spared: readonly SparedOrphan[]
}

/**
 * What has left the manifest, and which of it may go: what this action created for this stack (services by the owner's stamp, networks,
 * configs and secrets by the mark of their creation), and nothing that a live spec, the spec before it or a release record refers to.
 * Pure.
 */
export function orphansOf(kept: Kept, sight: StackSight, owner: string | undefined): Orphans {
  const candidates = candidatesOf(kept, sight)
  const spared: SparedOrphan[] = []
  const passes = (candidate: Candidate, why: SparedOrphan['why'], reason: string | undefined): boolean => {
    if (reason !== undefined) spared.push({ ...orphanOf(candidate), why, reason })
    return reason === undefined
  }
  const ours = candidates.filter((candidate) => passes(candidate, 'foreign', foreignness(candidate, kept, owner)))
  const leaving = new Set(ours.filter(({ kind }) => kind === 'service').map(({ id }) => id))
  const uses = referencesOf(sight.services.filter(({ ID }) => !leaving.has(ID)))
  const pins = pinsOf(sight.records)
  const removable = ours.filter((candidate) => {
    const { kind, id, name } = candidate
    const pin =
      kind === 'secret' || kind === 'config' ? (pins.get(`${kind} ${name}`) ?? pins.get(UNREADABLE)) : undefined
    return passes(candidate, 'referenced', uses.get(`${kind} ${id}`) ?? uses.get(`${kind} ${name}`) ?? pin)
  })
  return { removable: removable.map(orphanOf), spared }
}

// --- Internal helpers ---

/** Under this key is why nothing may go that a record could name. */
const UNREADABLE = 'unreadable'

interface Candidate extends Orphan {
  readonly labels: Labels
}

/** Everything with the stack's label that is no part of it, in the order of removal. */
function candidatesOf(kept: Kept, sight: StackSight): readonly Candidate[] {
  const { namespace, before, declared } = kept
  const files = (kind: 'config' | 'secret', live: readonly (Config | Secret)[]): readonly Candidate[] => {
    const byName = new Map(live.map((one) => [one.Spec.Name ?? '', one]))
    const older = new Set(declared)
    for (const name of declared) {
      for (const { Spec } of generationsOf(name, byName, namespace, declared)) older.add(Spec.Name ?? '')
    }
    return live.map((one) => ({ ...candidateOf(kind, one), isSuperseded: older.has(one.Spec.Name ?? '') }))
  }
  const isYoung = new Set(
    [...sight.services, ...sight.configs, ...sight.secrets]
      .map(({ ID, CreatedAt }) => ({ id: ID, created: CreatedAt }))
      .concat(sight.networks.map(({ Id, Created = '' }) => ({ id: Id, created: Created })))
      .filter(({ created }) => Date.parse(created) >= before)
      .map(({ id }) => id),
  )
  const parts: readonly (readonly [ReadonlySet<string>, readonly Candidate[]])[] = [
    [kept.services, sight.services.map((service) => candidateOf('service', service))],
    [
      kept.configs,
      files(
        'config',
        sight.configs.filter((config) => !isReleaseRecord(config)),
      ),
    ],
    [kept.secrets, files('secret', sight.secrets)],
    [
      kept.networks,
      sight.networks.map(({ Id, Name, Labels }) => candidateOf('network', { ID: Id, Spec: { Name, Labels } })),
    ],
  ]
  return parts.flatMap(([names, all]) =>
    all
      .filter(({ id, name, labels }) => labels[NAMESPACE_LABEL] === namespace && !names.has(name) && !isYoung.has(id))
      .sort((left, right) => (left.name < right.name ? -1 : 1)),
  )
}

function candidateOf(
  kind: Orphan['kind'],
  {
    ID: id,
    Spec,
  }: { readonly ID: string; readonly Spec: { readonly Name?: string; readonly Labels?: Labels | null | undefined } },
): Candidate {
  return { kind, id, name: Spec.Name ?? '', isSuperseded: false, labels: Spec.Labels ?? {} }
}

function orphanOf({ kind, id, name, isSuperseded }: Candidate): Orphan {
  return { kind, id, name, isSuperseded }
}

/** Why it is not this action's to remove, if so. */
function foreignness({ kind, labels }: Candidate, { namespace }: Kept, owner: string | undefined): string | undefined {
  if (kind !== 'service') return labels[CREATED_LABEL] === undefined ? 'this action did not create it' : undefined
  const whose = ownerIn(labels[OWNER_LABEL], namespace)
  if (whose === undefined) return 'this action did not write it'
  return whose === owner ? undefined : `it belongs to ${whose}`
}

/** What release records name, as `config shop_motd` → which needs it. Of one that can't be read nobody knows what it names. */
function pinsOf(records: readonly Config[]): ReadonlyMap<string, string> {
  const pins = new Map<string, string>()
  for (const stack of new Set(records.map(({ Spec }) => Spec.Labels?.[RELEASE_LABEL] ?? ''))) {
    const releases = releasesOf(stack, records, (name, reason) => {
      pins.set(UNREADABLE, `the release record ${name} may name it, and can not be read: ${reason}`)
    })
    for (const { record } of releases) {
      const needs = `revision ${record.revision} of ${record.release} needs it`
      for (const name of record.values.secrets.values()) pins.set(`secret ${name}`, needs)
      for (const name of record.values.configs.values()) pins.set(`config ${name}`, needs)
    }
  }
  return pins
}
