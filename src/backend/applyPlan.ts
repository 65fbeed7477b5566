import { withReferenceIds } from '../convert/references.ts'
import { CREATED_LABEL, WRITTEN_LABEL } from '../swarm/names.ts'
import type { ServiceSpec } from '../swarm/service.ts'
import type { Change } from './change.ts'
import { createNetworks } from './createNetworks.ts'
import type { UsedObject } from './fileNames.ts'
import { inParallel } from './inParallel.ts'
import { differingFields, meaningOf } from './meaning.ts'
import { createNetworkKeeper } from './networkKeeper.ts'
import type { Observation } from './observe.ts'
import { handover } from './ownership.ts'
import type { Plan } from './plan.ts'
import type { ServiceStep } from './planServices.ts'
import type { TouchedService } from './restoreService.ts'
import type { Unresolved } from './unresolved.ts'
import { writeConfigs, writeSecrets } from './writeFiles.ts'
import { writeService } from './writeService.ts'
import type { Writing } from './writing.ts'
import { writtenLabel } from './writtenLabel.ts'

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
  /** When this run began to write it (ms, the clock it was given). */
  readonly sentAt?: number | undefined
  /** Its `UpdatedAt` before the write; undefined for a new service, and for one left alone. */
  readonly previousUpdatedAt?: string | undefined
  /** Whether a live spec of it means what this run wants. */
  readonly isWanted: (live: ServiceSpec) => boolean
  /** Why the digest of its image is not known, where it was asked for. */
  readonly unresolved?: Unresolved | undefined
}

/** A plan, and what it was made from. */
export interface PlannedStack {
  readonly plan: Plan
  readonly observation: Observation
}

/** A plan that is being written. */
export interface Application {
  /** Writes services of the plan, all at once; what is as wanted is left alone. Each may be written once. */
  services(steps: readonly ServiceStep[]): Promise<readonly DeployedService[]>
  /** All that the plan says, and what proved to be needed beyond it. */
  changes(): readonly Change[]
  /** The services that it has set out to write so far. */
  touched(): readonly TouchedService[]
}

/** Writes a plan whole. The first failure ends it; what is written then stays, as the journal tells. */
export async function applyPlan(planned: PlannedStack, writing: Writing): Promise<Deployment> {
  const { plan } = planned
  const application = await beginPlan(planned, writing)
  const services = await application.services(plan.services)
  return { changes: application.changes(), services, objects: plan.objects }
}

/**
 * Writes everything of a plan that its services may refer to, in the order of `docker stack deploy`, and hands back what writes the
 * services.
 */
export async function beginPlan({ plan, observation }: PlannedStack, writing: Writing): Promise<Application> {
  const { log, warn, journal, concurrency, now } = writing.settings
  const change = handover(plan.namespace, observation, writing.settings)
  if (change !== undefined) log(change)
  journal.plan(plan.changes)
  for (const warning of plan.warnings) warn(warning)

  const networks = await createNetworks(plan, writing)
  const secrets = withIds(observation.secrets, await writeSecrets(plan.secrets, writing))
  const configs = withIds(observation.configs, await writeConfigs(plan.configs, writing))

  const keeper = createNetworkKeeper(plan, observation, networks, writing)
  const { nameOf } = keeper
  const touched: TouchedService[] = []
  const deploy = async (step: ServiceStep): Promise<DeployedService> => {
    const { key, name, live, unresolved } = step
    const spec = withReferenceIds(step.spec, { secrets, configs })
    const wanted = meaningOf(spec, nameOf)
    const isWanted = (other: ServiceSpec): boolean => differingFields(meaningOf(other, nameOf), wanted).length === 0
    if (step.action === 'none') return { key, name, id: live?.ID ?? '', written: false, isWanted, unresolved }
    const marks = {
      [WRITTEN_LABEL]: writtenLabel(wanted),
      // Like any label of our own, an update keeps it.
      ...(live === undefined && { [CREATED_LABEL]: new Date(now()).toISOString() }),
    }
    const marked = { ...spec, Labels: { ...spec.Labels, ...marks } }
    touched.push({ ...step, spec: marked, isWanted })
    const sentAt = now()
    const id = await writeService({ ...step, spec: marked }, isWanted, keeper, writing)
    return { key, name, id, written: true, sentAt, previousUpdatedAt: live?.UpdatedAt, isWanted, unresolved }
  }
  return {
    async services(steps) {
      const services = await inParallel(steps, concurrency, deploy)
      const unchanged = services.filter(({ written }) => !written).map(({ key }) => key)
      if (unchanged.length > 0) log(`Left alone, already as wanted: ${unchanged.join(', ')}`)
      return services
    },
    changes: () => [...keeper.recreated, ...plan.changes],
    touched: () => touched,
  }
}

// --- Internal helpers ---

function withIds(
  known: ReadonlyMap<string, { readonly ID: string }>,
  created: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map([...[...known].map(([name, { ID }]) => [name, ID] as const), ...created])
}
