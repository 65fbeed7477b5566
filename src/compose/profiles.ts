// `profiles` of the Compose Specification: a service that has some is deployed only where one of them is active.
import { shortList } from '../shortList.ts'
import type { Findings } from './findings.ts'
import type { Service, Stack } from './stack.ts'
import type { Variables } from './variables.ts'

/** The active ones stand in the variable COMPOSE_PROFILES, separated by commas; `*` is all. */
export function withActiveProfiles(stack: Stack, variables: Variables, findings: Findings): Stack {
  const active = new Set((variables.get('COMPOSE_PROFILES') ?? '').split(',').map((profile) => profile.trim()))
  const isActive = ({ profiles = [] }: Service): boolean =>
    profiles.length === 0 || active.has('*') || profiles.some((profile) => active.has(profile))
  const services = stack.services.filter(isActive)
  const [first, ...others] = stack.services.filter((service) => !isActive(service))
  if (first === undefined) return stack
  const names = [first, ...others].map(({ name }) => name)
  findings.warningAt(
    first.places.profiles ?? first.places.service,
    `"profiles": ${names.length === 1 ? 'this service is' : 'these services are'} left out, as none of the profiles is active: ${shortList(names, 10)}`,
    `To deploy, give COMPOSE_PROFILES in \`variables\`, for example COMPOSE_PROFILES=${first.profiles?.[0] ?? '*'}.`,
  )
  return { ...stack, services, inactive: names }
}
