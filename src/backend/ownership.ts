import type { Problem } from '../errors.ts'
import { NAMESPACE_LABEL, OWNER_LABEL } from '../swarm/names.ts'
import type { Observation } from './observe.ts'

interface OwnerSettings {
  readonly owner: string | undefined
  readonly adopt: boolean
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

/** Everyone who owns a part of a stack, by the stamps of its services and release records; sorted. */
export function ownersOf(
  namespace: string,
  { services, records }: Pick<Observation, 'services' | 'records'>,
): readonly string[] {
  const labels = [...services.values(), ...records].map(({ Spec }) => Spec.Labels ?? {})
  const ours = labels.filter((one) => (one[NAMESPACE_LABEL] ?? namespace) === namespace)
  const owners = ours.map((one) => ownerIn(one[OWNER_LABEL], namespace)).filter((owner) => owner !== undefined)
  return [...new Set(owners)].sort()
}

/** The stamp to write on each service; reports a stack that is somebody else's. */
export function ownerStamp(
  namespace: string,
  observation: Pick<Observation, 'services' | 'records'>,
  { owner, adopt }: OwnerSettings,
  report: (problem: Problem) => void,
): string | undefined {
  const others = ownersOf(namespace, observation).filter((one) => one !== owner)
  if (others.length > 0 && !adopt) report(foreign(namespace, others))
  return owner === undefined ? undefined : stampOf(owner, namespace)
}

/** The refusal to touch what another repository's run deployed. */
export function foreign(namespace: string, others: readonly string[]): Problem {
  return {
    severity: 'error',
    code: 'conflict',
    message: `the stack "${namespace}" belongs to ${others.join(' and ')}, which deployed it with this action`,
    remedy: 'Choose another `stack-name`, or set `adopt: true` to take the stack over.',
  }
}
