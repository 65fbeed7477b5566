import { withReferenceIds } from '../convert/references.ts'
import type { ServiceSpec } from '../swarm/service.ts'
import type { Change } from './change.ts'
import { createNetworks } from './createNetworks.ts'
import type { UsedObject } from './fileNames.ts'
import { inParallel } from './inParallel.ts'
import { differingFields, meaningOf } from './meaning.ts'
import { createNetworkKeeper } from './networkKeeper.ts'
import type { Observation } from './observe.ts'
import type { Plan } from './plan.ts'
import type { Unresolved } from './unresolved.ts'
import { writeConfigs, writeSecrets } from './writeFiles.ts'
import { writeService } from './writeService.ts'
import type { Writing } from './writing.ts'

/** What a deployment did. */
export interface Deployment {
  readonly changes: readonly Change[]
  /** Every service of the manifest, in its order. */
  readonly services: readonly DeployedService[]
  /** Every secret and config that the manifest declares or a service uses, with the name in the swarm that this run uses. */
  readonly objects: readonly UsedObject[]
}

export interface DeployedService {
  readonly key: string
  /** The swarm's name. */
  readonly name: string
  readonly id: string
  /** Whether this run wrote it. */
  readonly written: boolean
  /** Its `UpdatedAt` before the write; undefined for a new service, and for one left alone. */
  readonly previousUpdatedAt?: string | undefined
  /** Whether a live spec of it means what this run wants. */
  readonly isWanted: (live: ServiceSpec) => boolean
  /** Why the digest of its image is not known, where it was asked for. */
  readonly unresolved?: Unresolved | undefined
}

/**
 * Writes a plan, in the order of `docker stack deploy`: what a service may refer to is there before it. The first failure ends it;
 * what is written then stays, as the journal tells.
 */
export async function applyPlan(plan: Plan, observation: Observation, writing: Writing): Promise<Deployment> {
  const { log, warn, journal, concurrency } = writing.settings
  journal.plan(plan.changes)
  for (const warning of plan.warnings) warn(warning)

  const networks = await createNetworks(plan, writing)
  const secrets = withIds(observation.secrets, await writeSecrets(plan.secrets, writing))
  const configs = withIds(observation.configs, await writeConfigs(plan.configs, writing))

  const keeper = createNetworkKeeper(plan, observation, networks, writing)
  const { nameOf } = keeper
  const services = await inParallel(plan.services, concurrency, async (step): Promise<DeployedService> => {
    const { key, name, live, unresolved } = step
    const spec = withReferenceIds(step.spec, { secrets, configs })
    const wanted = meaningOf(spec, nameOf)
    const isWanted = (other: ServiceSpec): boolean => differingFields(meaningOf(other, nameOf), wanted).length === 0
    if (step.action === 'none') return { key, name, id: live?.ID ?? '', written: false, isWanted, unresolved }
    const id = await writeService({ ...step, spec }, isWanted, keeper, writing)
    return { key, name, id, written: true, previousUpdatedAt: live?.UpdatedAt, isWanted, unresolved }
  })

  const unchanged = plan.services.filter((step) => step.action === 'none').map((step) => step.key)
  if (unchanged.length > 0) log(`Left alone, already as wanted: ${unchanged.join(', ')}`)
  return { changes: [...keeper.recreated, ...plan.changes], services, objects: plan.objects }
}

function withIds(
  known: ReadonlyMap<string, { readonly ID: string }>,
  created: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map([...[...known].map(([name, { ID }]) => [name, ID] as const), ...created])
}
