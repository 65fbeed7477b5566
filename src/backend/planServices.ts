import { withReferenceIds } from '../convert/references.ts'
import type { ServiceObject, StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import { isNativeJob, mayComplete, modeOf } from '../health/mode.ts'
import { hasDigest } from '../image/reference.ts'
import type { Labels } from '../swarm/common.ts'
import { CREDENTIALS_LABEL, IMAGE_LABEL, isOwnLabel, OWNER_LABEL, RETRY_LABEL } from '../swarm/names.ts'
import type { Service, ServiceSpec } from '../swarm/service.ts'
import { bearsCredentials, credentialsLabelFor } from './credentialsLabel.ts'
import { type ChosenImage, chooseImage, withImage } from './image.ts'
import { differingFields, meaningOf } from './meaning.ts'
import type { Observation } from './observe.ts'
import type { PlanSettings } from './options.ts'
import { replacedBy } from './replacedBy.ts'
import type { ResolveMode } from './resolveMode.ts'
import { newestTasks, type Retry, retryOf } from './retry.ts'
import { noDigest, refusalOf } from './serviceProblems.ts'
import type { Unresolved } from './unresolved.ts'

export interface ServiceStep {
  readonly key: string
  readonly name: string
  readonly position: Problem['position']
  /** `credentials`: nothing but the registry's login differs from the one that was last written. */
  readonly action: 'create' | 'update' | 'retry' | 'credentials' | 'none'
  readonly fields: readonly string[]
  /** Whole but for the ids of secrets and configs that do not exist yet. */
  readonly spec: ServiceSpec
  /** The service that the plan was made from; undefined for a creation. */
  readonly live?: Service | undefined
  /** Why the digest of its image is not known, where it was asked for. */
  readonly unresolved?: Unresolved | undefined
}

export interface ServiceSettings extends PlanSettings {
  /** The owner's stamp that every service bears; undefined where the run has no owner. */
  readonly stamp: string | undefined
}

/** What to do with each service of the stack, in its order. */
export function planServices(
  stack: StackSpec,
  mode: ResolveMode,
  observation: Observation,
  settings: ServiceSettings,
  report: (problem: Problem) => void,
): readonly ServiceStep[] {
  const unresolved = new Map<string, { readonly answer: Unresolved; readonly services: ServiceObject[] }>()
  const steps = stack.services.flatMap((service) => {
    const live = observation.services.get(service.name)
    const refusal = live && refusalOf(service, live, stack.namespace)
    if (refusal) {
      report(refusal)
      return []
    }
    const image = chooseImage(mode, service.image, live, observation.digests.get(service.image))
    if (image.unresolved !== undefined) {
      const known = unresolved.get(service.image)
      if (known === undefined) unresolved.set(service.image, { answer: image.unresolved, services: [service] })
      else known.services.push(service)
    }
    return [{ ...stepOf(service, image, live, stack, observation, settings), unresolved: image.unresolved }]
  })
  for (const [image, { answer, services }] of unresolved) {
    report(noDigest(image, answer, services, settings.strictImages && !hasDigest(image)))
  }
  return steps
}

/** Among the fields of a service whose tasks are restarted because that was asked for. */
export const FORCED = 'forceUpdate'

/** Whether an update starts again what stopped or failed, beside what it changes. */
export function isStartedAgain({ action, fields, spec, live }: ServiceStep): boolean {
  if (action === 'retry') return true
  const count = (counted: ServiceSpec | undefined): number => Number(counted?.TaskTemplate.ForceUpdate ?? 0)
  return action === 'update' && !fields.includes(FORCED) && count(spec) > count(live?.Spec)
}

/** Network ids of live specs to names. */
export function networkNames({ networks }: Pick<Observation, 'networks'>): (target: string) => string {
  const names = new Map(networks.map(({ Id, Name }) => [Id, Name]))
  return (target) => names.get(target) ?? target
}

// --- Internal helpers ---

function stepOf(
  service: ServiceObject,
  image: ChosenImage,
  live: Service | undefined,
  stack: StackSpec,
  observation: Observation,
  settings: ServiceSettings,
): ServiceStep {
  const { stamp, registryAuth } = settings
  const { key, name, position } = service
  const plain = withImage(withReferenceIds(service.spec, knownIds(stack, observation)), image)
  const header = registryAuth?.headerFor(image.image)
  const wanted = withLabels(plain, {
    ...(stamp !== undefined && { [OWNER_LABEL]: stamp }),
    ...(header !== undefined && { [CREDENTIALS_LABEL]: credentialsLabelFor(live?.Spec.Labels, header) }),
  })
  if (live === undefined) return { key, name, position, action: 'create', fields: [], spec: wanted }
  const spec = carriedOver(wanted, live)
  const toName = networkNames(observation)
  const fields = namedForPeople(differingFields(meaningOf(live.Spec, toName), meaningOf(spec, toName)))
  const credentials = bearsCredentials(live.Spec.Labels, header) ? [] : ['credentials']
  if (isForced(key, settings)) {
    const forced = withForceUpdate(spec, BigInt(spec.TaskTemplate.ForceUpdate ?? 0) + 1n)
    return { key, name, position, action: 'update', fields: [...fields, FORCED, ...credentials], spec: forced, live }
  }
  // A stamp is not worth running a migration twice.
  if (isStamp(fields) && wouldRunAgain(live, observation)) {
    return stepOf(service, image, live, stack, observation, { ...settings, stamp: undefined })
  }
  const step = { key, name, position, fields: [...fields, ...credentials], spec, live }
  // A slot that Swarm has given up is no loss where fewer replicas are wanted by now.
  const scaled = { ...live, Spec: { ...live.Spec, ...(spec.Mode && { Mode: spec.Mode }) } }
  const retry = retryOf(scaled, observation.tasks, observation.nodes)
  if (fields.length > 0) {
    // A write that replaces no task would leave dead what Swarm has given up.
    const isLeftDead = retry === 'force' && replacedBy(fields) !== 'all'
    return { ...step, action: 'update', spec: isLeftDead ? startedAgain(spec, retry, live) : spec }
  }
  if (retry !== 'none') return { ...step, action: 'retry', spec: startedAgain(spec, retry, live) }
  const isSent = credentials.length > 0 && !wouldRunAgain(live, observation)
  return isSent ? { ...step, action: 'credentials' } : { ...step, action: 'none', fields: [] }
}

function isForced(key: string, { force }: ServiceSettings): boolean {
  return typeof force === 'boolean' ? force : force.includes(key)
}

/**
 * Whether another login alone makes Swarm start tasks: those that have completed are then out of date to it, and a job begins anew with
 * every write. What runs goes on. Measured with engine 20.10; source: moby/swarmkit manager/orchestrator/task.go, IsTaskDirty.
 */
export function wouldRunAgain(live: Service, { tasks, nodes }: Pick<Observation, 'tasks' | 'nodes'>): boolean {
  if (isNativeJob(modeOf(live.Spec))) return true
  return mayComplete(live.Spec) && newestTasks(live, tasks, nodes).some(({ Status }) => Status.State === 'complete')
}

function isStamp(fields: readonly string[]): boolean {
  return fields.length > 0 && fields.every((field) => field === `labels[${OWNER_LABEL}]`)
}

function withLabels(spec: ServiceSpec, labels: Labels): ServiceSpec {
  return Object.keys(labels).length === 0 ? spec : { ...spec, Labels: { ...spec.Labels, ...labels } }
}

/** Ids as far as they exist; a secret or config that this run creates has none yet. */
function knownIds({ secrets, configs }: StackSpec, observation: Observation) {
  const idsOf = (
    objects: readonly { readonly name: string }[],
    live: ReadonlyMap<string, { readonly ID: string }>,
  ): ReadonlyMap<string, string> => new Map(objects.map(({ name }) => [name, live.get(name)?.ID ?? '']))
  return { secrets: idsOf(secrets, observation.secrets), configs: idsOf(configs, observation.configs) }
}

/** Dropping the counter would restart the tasks, and our own labels are not the manifest's to drop. */
function carriedOver(spec: ServiceSpec, { Spec: live }: Service): ServiceSpec {
  const own = Object.entries(live.Labels ?? {}).filter(([label]) => isOwnLabel(label))
  const counted = withForceUpdate(spec, live.TaskTemplate.ForceUpdate ?? 0)
  return own.length === 0 ? counted : { ...counted, Labels: { ...Object.fromEntries(own), ...spec.Labels } }
}

function withForceUpdate(spec: ServiceSpec, count: number | bigint): ServiceSpec {
  return { ...spec, TaskTemplate: { ...spec.TaskTemplate, ForceUpdate: Number(count) } }
}

/**
 * Swarm's updater may still be at work when its update is paused already (it waits for a task that it stops, or for
 * `update_config.delay`), and until then forgets an update to the very spec that it has: the service would stay as it is for ever. A
 * label makes the spec another one, and restarts no task.
 */
export function startedAgain(spec: ServiceSpec, retry: Retry, live: Service): ServiceSpec {
  if (retry === 'force') return withForceUpdate(spec, BigInt(spec.TaskTemplate.ForceUpdate ?? 0) + 1n)
  if (retry === 'none' || live.JobStatus) return spec
  return { ...spec, Labels: { ...spec.Labels, [RETRY_LABEL]: `${Number(spec.Labels?.[RETRY_LABEL] ?? 0) + 1}` } }
}

/** The label repeats the image. */
function namedForPeople(fields: readonly string[]): readonly string[] {
  return fields.includes('image') ? fields.filter((field) => field !== `labels[${IMAGE_LABEL}]`) : fields
}
