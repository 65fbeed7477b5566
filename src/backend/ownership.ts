import { DeployError, type Problem } from '../errors.ts'
import { shortList } from '../shortList.ts'
import type { Labels } from '../swarm/common.ts'
import { NAMESPACE_LABEL, OWNER_LABEL } from '../swarm/names.ts'
import type { Observation } from './observe.ts'

interface OwnerSettings {
  /** Such as `gha/octocat/shop`; undefined where the run has no owner. */
  readonly owner: string | undefined
  readonly adopt: boolean
}

/** A service, or a release record. */
interface Labelled {
  /** RFC 3339, by the manager's clock. */
  readonly CreatedAt?: string
  readonly UpdatedAt?: string
  readonly Spec: { readonly Name?: string; readonly Labels?: Labels | null }
}

/** `gha/octocat/shop:release/shop`: who deploys a stack, and which, so that a stamp copied to another stack proves nothing. */
export function stampOf(owner: string, namespace: string): string {
  return `${owner}:release/${namespace}`
}

/** Whose stamp it is; undefined for one that is not of this stack, or not one at all. */
export function ownerIn(stamp: string | undefined, namespace: string): string | undefined {
  const suffix = `:release/${namespace}`
  if (stamp === undefined || stamp.indexOf(':') <= 0 || !stamp.endsWith(suffix)) return undefined
  const owner = stamp.slice(0, -suffix.length)
  return owner.includes(':') ? undefined : owner
}

/** GitHub tells no upper from lower case in the names of owners and repositories, and may spell them otherwise tomorrow. */
export function isSameOwner(one: string | undefined, other: string | undefined): boolean {
  const folded = (owner: string | undefined) => (owner?.startsWith('gha/') ? owner.toLowerCase() : owner)
  return folded(one) === folded(other)
}

/**
 * Throws `conflict` where a stack is somebody else's and is not to be adopted. For what is about to touch a stack as a whole.
 * @param services those found for the stack; one with another stack's label does not count
 * @param records the release records of the stack, in any order
 */
export function refuseForeign(
  namespace: string,
  services: Iterable<Labelled>,
  records: Iterable<Labelled>,
  settings: OwnerSettings,
): void {
  const problem = foreignStack(namespace, services, records, settings)
  if (problem) throw new DeployError(problem.code, problem.message, { remedy: problem.remedy, problems: [problem] })
}

/** The stamp to write on each service; reports a stack that is somebody else's. */
export function ownerStamp(
  namespace: string,
  { services, records }: Pick<Observation, 'services' | 'records'>,
  settings: OwnerSettings,
  report: (problem: Problem) => void,
): string | undefined {
  const problem = foreignStack(namespace, services.values(), records, settings)
  if (problem) report(problem)
  return settings.owner === undefined ? undefined : stampOf(settings.owner, namespace)
}

/** What a run that takes a stack over says, once: the next finds its own stamps. Undefined where nothing changes hands. */
export function handover(
  namespace: string,
  { services, records }: Pick<Observation, 'services' | 'records'>,
  { owner }: OwnerSettings,
): string | undefined {
  const stack = stackServices(namespace, services.values())
  if (owner === undefined || stack.length === 0) return undefined
  const owners = ownersOf(namespace, stack, records)
  const others = [...owners.keys()].filter((one) => !isSameOwner(one, owner))
  if (others.length > 0)
    return `Taking over the stack ${namespace} from ${others.join(' and ')}: it belongs to ${owner} now`
  return owners.size === 0
    ? `The stack ${namespace} was not deployed by this action so far: it is adopted, and belongs to ${owner} now`
    : undefined
}

// --- Internal helpers ---

function foreignStack(
  namespace: string,
  services: Iterable<Labelled>,
  records: Iterable<Labelled>,
  { owner, adopt }: OwnerSettings,
): Problem | undefined {
  if (adopt) return undefined
  const owners = ownersOf(namespace, stackServices(namespace, services), records)
  const others = [...owners].filter(([one]) => !isSameOwner(one, owner))
  if (others.length === 0) return undefined
  const whose = others.map(([one, proofs]) => `${one} (by the stamp on ${shortList(proofs, 3)})`).join(' and to ')
  const us = owner === undefined ? 'this run has no GITHUB_REPOSITORY to be known by' : `this run is of ${owner}`
  return {
    severity: 'error',
    code: 'conflict',
    message: `the stack "${namespace}" belongs to ${whose}, and ${us}`,
    remedy: 'Choose another `stack-name`, or set `adopt: true` to take the stack over.',
  }
}

/** Found by prefix, some may be of another stack: `shop_eu_web` is of `shop_eu`. */
function stackServices(namespace: string, services: Iterable<Labelled>): readonly Labelled[] {
  return [...services].filter(({ Spec }) => Spec.Labels?.[NAMESPACE_LABEL] === namespace)
}

/**
 * Everyone who owns a part of a stack, sorted → the services that bear the stamp, or the record where no service does. A stamp that is
 * older than the newest record only tells whose the service was: one that the manifest has no more, or that a new stamp would run again.
 */
export function ownersOf(
  namespace: string,
  services: readonly Labelled[],
  records: Iterable<Labelled>,
): ReadonlyMap<string, readonly string[]> {
  const ownerOf = ({ Spec }: Labelled): string | undefined => ownerIn(Spec.Labels?.[OWNER_LABEL], namespace)
  // A config of the stack itself may have a record's labels, too, and proves nothing.
  const proper = [...records].filter(({ Spec }) => Spec.Labels?.[NAMESPACE_LABEL] === undefined)
  const [newest] = proper.sort((left, right) => revisionOf(right) - revisionOf(left))
  const owner = newest && ownerOf(newest)
  const recorded = owner === undefined ? Number.NaN : Date.parse(newest?.CreatedAt ?? '')
  const owners = new Map<string, string[]>()
  const note = (whose: string | undefined, { Spec: { Name: name = '' } }: Labelled): void => {
    if (whose !== undefined) owners.set(whose, [...(owners.get(whose) ?? []), name].sort())
  }
  for (const service of services) {
    const whose = ownerOf(service)
    if (whose === owner || !(Date.parse(service.UpdatedAt ?? '') < recorded)) note(whose, service)
  }
  if (newest && owner !== undefined && !owners.has(owner)) note(owner, newest)
  return new Map([...owners].sort(([left], [right]) => (left < right ? -1 : 1)))
}

/** `swarmcli.release.shop.v12` is 12. */
function revisionOf({ Spec }: Labelled): number {
  return Number(/\.v(\d+)$/.exec(Spec.Name ?? '')?.[1] ?? 0)
}
