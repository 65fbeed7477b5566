import { withReferenceIds } from '../convert/references.ts'
import type { ServiceObject, StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import { IMAGE_LABEL, isOwnLabel, NAMESPACE_LABEL, OWNER_LABEL, RETRY_LABEL } from '../swarm/names.ts'
import type { Service, ServiceSpec } from '../swarm/service.ts'
import { type ChosenImage, chooseImage, withImage } from './image.ts'
import { differingFields, meaningOf } from './meaning.ts'
import { kindOfMode } from './modeMeaning.ts'
import type { Observation } from './observe.ts'
import type { PlanSettings } from './options.ts'
import type { ResolveMode } from './resolveMode.ts'
import { type Retry, retryOf } from './retry.ts'
import { loginRemedy, refusedLogin, type Unresolved } from './unresolved.ts'

export interface ServiceStep {
  readonly key: string
  readonly name: string
  readonly position: Problem['position']
  readonly action: 'create' | 'update' | 'retry' | 'none'
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
  for (const [image, { answer, services }] of unresolved) report(noDigest(image, answer, services))
  return steps
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
  { stamp }: ServiceSettings,
): ServiceStep {
  const { key, name, position } = service
  const plain = withImage(withReferenceIds(service.spec, knownIds(stack, observation)), image)
  const wanted = stamp === undefined ? plain : { ...plain, Labels: { ...plain.Labels, [OWNER_LABEL]: stamp } }
  if (live === undefined) return { key, name, position, action: 'create', fields: [], spec: wanted }
  const spec = carriedOver(wanted, live)
  const toName = networkNames(observation)
  const fields = namedForPeople(differingFields(meaningOf(live.Spec, toName), meaningOf(spec, toName)))
  if (fields.length > 0) return { key, name, position, action: 'update', fields, spec, live }
  const retry = retryOf(live, observation.tasks, observation.nodes)
  return {
    key,
    name,
    position,
    action: retry === 'none' ? 'none' : 'retry',
    fields,
    spec: startedAgain(spec, retry, live),
    live,
  }
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
function startedAgain(spec: ServiceSpec, retry: Retry, live: Service): ServiceSpec {
  if (retry === 'force') return withForceUpdate(spec, BigInt(spec.TaskTemplate.ForceUpdate ?? 0) + 1n)
  if (retry === 'none' || live.JobStatus) return spec
  return { ...spec, Labels: { ...spec.Labels, [RETRY_LABEL]: `${Number(spec.Labels?.[RETRY_LABEL] ?? 0) + 1}` } }
}

/** The label repeats the image. */
function namedForPeople(fields: readonly string[]): readonly string[] {
  return fields.includes('image') ? fields.filter((field) => field !== `labels[${IMAGE_LABEL}]`) : fields
}

function refusalOf(
  { name, spec, position, places }: ServiceObject,
  { Spec: live }: Service,
  namespace: string,
): Problem | undefined {
  const owner = live.Labels?.[NAMESPACE_LABEL]
  const [from, to] = [kindOfMode(live.Mode), kindOfMode(spec.Mode)]
  if (owner !== namespace) {
    return {
      severity: 'error',
      code: 'conflict',
      message: `the service "${name}" exists already and belongs to ${owner === undefined ? 'no stack' : `the stack "${owner}"`}`,
      position,
      remedy: `Remove it if it is not needed (docker service rm ${name}), or choose another name for the stack or the service.`,
    }
  }
  if (from === to) return undefined
  return {
    severity: 'error',
    code: 'conflict',
    message: `the service "${name}" runs in mode ${from}, and Swarm can't change that to ${to}`,
    position: places['deploy.mode'] ?? position,
    remedy: `Remove the service first (docker service rm ${name}), which stops its tasks, or give it another name.`,
  }
}

function noDigest(image: string, answer: Unresolved, services: readonly ServiceObject[]): Problem {
  const why = refusedLogin(image, answer)
  const names = services.map((service) => service.key).join(', ')
  return {
    severity: 'warning',
    code: 'image-pull',
    message: `the digest of the image "${image}" (${names}) could not be looked up${why === undefined ? '' : `, as ${why}`}: ${answer.reason}`,
    position: services[0]?.places.image ?? services[0]?.position,
    remedy:
      loginRemedy(image, answer) ??
      'A service that runs this image keeps the digest it has; otherwise each node pulls the tag by itself. Check "registry-auth", or set "resolve-image: never" for images that are only on the nodes.',
  }
}
