import { releasesOf } from '../history/releases.ts'
import type { Labels } from '../swarm/common.ts'
import { CREATED_LABEL, NAMESPACE_LABEL, OWNER_LABEL, RELEASE_LABEL } from '../swarm/names.ts'
import type { Network } from '../swarm/network.ts'
import type { Config, Secret } from '../swarm/secret.ts'
import type { Service } from '../swarm/service.ts'
import { generationsOf } from './generations.ts'
import type { Kept } from './kept.ts'
import { isSameOwner, ownerIn } from './ownership.ts'
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
  /**
   * `foreign`: not provably made by this action for this owner. `referenced`: something uses it, or could go back to it. `unapproved`: the
   * plan that was approved does not remove it.
   */
  readonly why: 'foreign' | 'referenced' | 'unapproved'
  /** Such as `a rollback of service shop_web needs it`. */
  readonly reason: string
}

export interface Orphans {
  /** In the order of removal. */
  readonly removable: readonly Orphan[]
  readonly spared: readonly SparedOrphan[]
}

/**
 * What has left the manifest, and which of it may go: what bears the mark that this action created it (a service the owner's stamp, too), and
 * nothing that a live spec, the spec before it or a release record refers to. Pure.
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
  // Records are long to read, and mostly nobody asks.
  const pins = ours.some(isStored) ? pinsOf(sight.records) : new Map<string, string>()
  const removable = ours.filter((candidate) => {
    const { kind, id, name } = candidate
    const pin = isStored(candidate) ? (pins.get(`${kind} ${name}`) ?? pins.get(UNREADABLE)) : undefined
    return passes(candidate, 'referenced', uses.get(`${kind} ${id}`) ?? uses.get(`${kind} ${name}`) ?? pin)
  })
  return { removable: removable.map(orphanOf), spared }
}

// --- Internal helpers ---

/** Under this key is why nothing may go that a record could name. */
const UNREADABLE = 'unreadable'

interface Candidate extends Orphan {
  readonly labels: Labels
  /** RFC 3339, by the manager's clock. */
  readonly createdAt: string
}

/** Everything with the stack's label that is no part of it, in the order of removal. */
function candidatesOf(kept: Kept, { services, configs, secrets, networks }: StackSight): readonly Candidate[] {
  const { namespace, before } = kept
  const of = (names: ReadonlySet<string>, all: readonly Candidate[]): readonly Candidate[] =>
    all
      .filter(({ labels, name }) => labels[NAMESPACE_LABEL] === namespace && !names.has(name))
      .filter(({ createdAt }) => !(Date.parse(createdAt) >= before))
      .sort((left, right) => (left.name < right.name ? -1 : 1))
  const stored =
    (kind: Orphan['kind'], older: ReadonlySet<string> = new Set()) =>
    ({ ID: id, CreatedAt: createdAt, Spec: { Name: name = '', Labels } }: Service | Config | Secret): Candidate => {
      return { kind, id, name, isSuperseded: older.has(name), labels: Labels ?? {}, createdAt }
    }
  const ownConfigs = configs.filter((config) => !isReleaseRecord(config))
  return [
    ...of(kept.services, services.map(stored('service'))),
    ...of(kept.configs, ownConfigs.map(stored('config', declaredGenerations(kept, ownConfigs)))),
    ...of(kept.secrets, secrets.map(stored('secret', declaredGenerations(kept, secrets)))),
    ...of(
      kept.networks,
      networks.map(({ Id: id, Name: name, Labels: labels, Created: createdAt = '' }) => {
        return { kind: 'network', id, name, isSuperseded: false, labels: labels ?? {}, createdAt }
      }),
    ),
  ]
}

/** The names of all generations of what the manifest has. */
function declaredGenerations({ namespace, declared }: Kept, live: readonly (Secret | Config)[]): ReadonlySet<string> {
  const byName = new Map(live.map((one) => [one.Spec.Name ?? '', one]))
  const older = [...declared].flatMap((name) => generationsOf(name, byName, namespace, declared))
  return new Set([...declared, ...older.map(({ Spec }) => Spec.Name ?? '')])
}

function isStored({ kind }: Orphan): boolean {
  return kind === 'secret' || kind === 'config'
}

function orphanOf({ kind, id, name, isSuperseded }: Candidate): Orphan {
  return { kind, id, name, isSuperseded }
}

/** Why it is not this action's to remove, if so. */
function foreignness({ kind, labels }: Candidate, { namespace }: Kept, owner: string | undefined): string | undefined {
  if (labels[CREATED_LABEL] === undefined) return 'this action did not create it'
  if (kind !== 'service') return undefined
  const whose = ownerIn(labels[OWNER_LABEL], namespace)
  if (whose === undefined) return 'it bears no stamp of this repository'
  return isSameOwner(whose, owner) ? undefined : `it belongs to ${whose}`
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
