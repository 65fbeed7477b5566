import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, EngineError, type Filters } from '../engine/engine.ts'
import { NAMESPACE_LABEL, TYPE_LABEL } from '../swarm/names.ts'
import type { Config } from '../swarm/secret.ts'
import type { Change } from './change.ts'
import { inParallel } from './inParallel.ts'
import type { Kept } from './kept.ts'
import { type Orphan, type Orphans, orphansOf, type SparedOrphan, type StackSight } from './orphans.ts'
import type { Plan } from './plan.ts'
import { isReleaseRecord } from './releaseRecords.ts'
import { removeObject } from './removeObject.ts'
import { sightAfter } from './sightAfter.ts'
import { stopIfCancelled, type Writing } from './writing.ts'

/** What a prune did, and what it left. */
export interface Pruned {
  /** In the order of removal. */
  readonly changes: readonly Change[]
  /** What the engine would not remove, in its words. */
  readonly refused: readonly (Orphan & { readonly reason: string })[]
  readonly spared: readonly SparedOrphan[]
  /** The stack's volumes on the node that answers which no service of it mounts: they are never removed. */
  readonly volumes: readonly string[]
}

/** What a plan that somebody approved removes. */
export type Approved = readonly { readonly kind: string; readonly name: string }[]

/** How long (ms) a network is asked for again: tasks of the services that used it may take so long to stop. */
const UNUSED_WITHIN = 30_000

/**
 * Looks for what left the manifest. References from outside of the stack are not looked for.
 * @param records the stack's release records, as they were before its deployment: what that adds names only what is kept
 */
export async function findOrphans(
  kept: Kept,
  records: readonly Config[],
  { engine, settings }: Writing,
): Promise<Orphans> {
  const sight = await look(kept, labelled(kept), engine, settings.signal)
  return orphansOf(kept, { ...sight, records }, settings.owner)
}

/** What `prune` will find once a plan is written, all runs, and these records (ids) are gone: it looks wherever `prune` does. */
export async function foreseeOrphans(
  kept: Kept,
  plan: Pick<Plan, 'services'>,
  dropped: ReadonlySet<string>,
  { engine, settings }: Writing,
): Promise<Orphans> {
  const sight = await lookEverywhere(kept, engine, settings.signal)
  return orphansOf(kept, sightAfter(sight, plan, dropped), settings.owner)
}

/**
 * Removes what left the manifest: services first, then, by another look, what nothing refers to any more. What the engine refuses stays,
 * and does not end it.
 * @param approved what may go, if not everything that left
 */
export async function prune(kept: Kept, approved: Approved | undefined, writing: Writing): Promise<Pruned> {
  const { engine, settings } = writing
  const { journal, signal, owner } = settings
  const [sight, volumes] = await Promise.all([
    lookEverywhere(kept, engine, signal),
    engine.listVolumes(labelled(kept), { signal }),
  ])
  const first = within(orphansOf(kept, sight, owner), approved)
  journal.plan(first.removable.map(removalOf))

  const services = first.removable.filter(({ kind }) => kind === 'service')
  const refused: (Orphan & { readonly reason: string })[] = [...(await removeAll(services, 0, writing))]
  const staying = first.spared.filter(({ kind, why }) => kind === 'service' && why === 'unapproved')
  const stuck = new Set([...kept.services, ...[...refused, ...staying].map(({ name }) => name)])
  const then = services.length === 0 ? sight : await lookEverywhere(kept, engine, signal)
  const second = within(orphansOf({ ...kept, services: stuck }, then, owner), approved)
  const rest = second.removable.filter(({ kind }) => kind !== 'service')
  for (const { kind, id, name } of first.removable) {
    if (kind !== 'service' && !rest.some((one) => one.id === id)) journal.dropped(`${kind} ${name}`)
  }
  journal.plan(rest.map(removalOf))
  for (const kind of ['config', 'secret', 'network'] as const) {
    const patience = kind === 'network' && services.length > 0 ? UNUSED_WITHIN : 0
    const ofKind = rest.filter((orphan) => orphan.kind === kind)
    refused.push(...(await removeAll(ofKind, patience, writing)))
  }
  const mounted = new Set(
    then.services.flatMap(({ Spec }) => (Spec.TaskTemplate.ContainerSpec?.Mounts ?? []).map(({ Source }) => Source)),
  )
  return {
    changes: [...services, ...rest].filter(({ id }) => !refused.some((one) => one.id === id)).map(removalOf),
    refused,
    spared: [...first.spared.filter(({ kind }) => kind === 'service'), ...second.spared].filter(
      ({ kind, name }, index, all) => all.findIndex((one) => one.kind === kind && one.name === name) === index,
    ),
    volumes: volumes
      .map(({ Name }) => Name)
      .filter((name) => !mounted.has(name))
      .sort(),
  }
}

// --- Internal helpers ---

/** What became removable since the approval stays for a later plan. */
function within({ removable, spared }: Orphans, approved: Approved | undefined): Orphans {
  if (approved === undefined) return { removable, spared }
  const isApproved = ({ kind, name }: Orphan): boolean => approved.some((one) => one.kind === kind && one.name === name)
  const reason = 'the plan that was approved does not remove it'
  const others = removable.filter((orphan) => !isApproved(orphan))
  return {
    removable: removable.filter(isApproved),
    spared: [...spared, ...others.map((orphan) => ({ ...orphan, why: 'unapproved' as const, reason }))],
  }
}

function labelled({ namespace }: Kept): Filters {
  return { label: [`${NAMESPACE_LABEL}=${namespace}`] }
}

/** With what may refer to something of the stack from elsewhere. */
async function lookEverywhere(kept: Kept, engine: Engine, signal: AbortSignal | undefined): Promise<StackSight> {
  const [sight, records] = await Promise.all([
    look(kept, undefined, engine, signal),
    engine.listConfigs({ label: [`${TYPE_LABEL}=release`] }, { signal }),
  ])
  return { ...sight, records: records.filter(isReleaseRecord) }
}

async function look(
  kept: Kept,
  ofServices: Filters | undefined,
  engine: Engine,
  signal: AbortSignal | undefined,
): Promise<Omit<StackSight, 'records'>> {
  const options = { signal }
  const [services, networks, secrets, configs] = await Promise.all([
    engine.listServices(ofServices, options),
    engine.listNetworks(labelled(kept), options),
    engine.listSecrets(labelled(kept), options),
    engine.listConfigs(labelled(kept), options),
  ])
  return { services, networks, secrets, configs }
}

function removalOf({ kind, name }: Orphan): Change {
  return { kind, name, action: 'remove', fields: [] }
}

/** Answers what the engine would not remove, though it was asked again for so long (ms). */
async function removeAll(
  orphans: readonly Orphan[],
  patience: number,
  writing: Writing,
): Promise<readonly (Orphan & { readonly reason: string })[]> {
  const { settings } = writing
  const until = performance.now() + patience
  const results = await inParallel(orphans, settings.concurrency, async (orphan) => {
    const name = `${orphan.kind} ${orphan.name}`
    stopIfCancelled(settings, name)
    settings.log(`Removing ${name}${orphan.isSuperseded ? ', which is superseded' : ', which has left the manifest'}`)
    for (;;) {
      try {
        await removeObject(orphan, writing)
        return []
      } catch (error) {
        stopIfCancelled(settings, name)
        if (!(error instanceof EngineError) || error.isFinal) throw error
        if (performance.now() >= until || error.kind !== 'refused') {
          settings.journal.dropped(name)
          return [{ ...orphan, reason: error.message }]
        }
        await sleep(1000, undefined, settings.signal && { signal: settings.signal }).catch(() => {})
      }
    }
  })
  return results.flat()
}
