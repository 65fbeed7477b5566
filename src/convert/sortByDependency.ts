import type { Dependency, Service } from '../compose/stack.ts'
import { didYouMean, manifestError, manifestWarning, type Report } from './findings.ts'

/** One entry of `depends_on`, and the service that it names. */
export interface Need {
  readonly other: Service
  readonly dependency: Dependency
}

/**
 * Each service after all that it depends on, and what each needs. Reports names without a service, and circles, whose services are left out.
 * @param ordered those of which `depends_on` counts; with a service, what it depends on is among them
 */
export function sortByDependency(
  ordered: ReadonlySet<Service>,
  services: ReadonlyMap<string, Service>,
  report: Report,
): { readonly sorted: readonly Service[]; readonly needs: ReadonlyMap<Service, readonly Need[]> } {
  const needs = new Map([...ordered].map((service) => [service, dependenciesOf(service, services, report)]))
  return { sorted: dependenciesFirst(needs, report), needs }
}

// --- Internal helpers ---

function dependenciesOf(
  { name, dependsOn = [] }: Service,
  services: ReadonlyMap<string, Service>,
  report: Report,
): readonly Need[] {
  return dependsOn.flatMap((dependency) => {
    const other = services.get(dependency.service)
    if (other !== undefined) {
      if (dependency.condition === 'service_completed_successfully' && !other.deploy.mode.endsWith('-job'))
        report(
          manifestWarning(
            dependency.place,
            `service ${name} waits for the end of ${other.name}, which is no job: it counts as ready once it runs steadily`,
            `Give ${other.name} "deploy.mode: replicated-job".`,
          ),
        )
      return [{ other, dependency }]
    }
    if (dependency.required)
      report(
        manifestError(
          dependency.place,
          `service ${name} depends on "${dependency.service}", which is no service of the stack${didYouMean(dependency.service, services.keys())}`,
          'Correct the name; if a profile may leave that service out, write "required: false".',
        ),
      )
    return []
  })
}

function dependenciesFirst(needs: ReadonlyMap<Service, readonly Need[]>, report: Report): readonly Service[] {
  const sorted = new Set<Service>()
  const left = new Set(needs.keys())
  const take = (service: Service): boolean => {
    const isReady = (needs.get(service) ?? []).every(({ other }) => !left.has(other))
    if (isReady) sorted.add(service)
    return isReady
  }
  while (left.size > 0) {
    const before = left.size
    for (const service of left) if (take(service)) left.delete(service)
    if (left.size < before) continue
    for (const service of reportCircle(left, needs, report)) left.delete(service)
  }
  return [...sorted]
}

/** Among services of which each depends on another one of them. */
function reportCircle(
  left: ReadonlySet<Service>,
  needs: ReadonlyMap<Service, readonly Need[]>,
  report: Report,
): readonly Service[] {
  const path: Service[] = []
  let [next] = left
  let last: Dependency | undefined
  while (next !== undefined && !path.includes(next)) {
    path.push(next)
    const need = needs.get(next)?.find(({ other }) => left.has(other))
    last = need?.dependency
    next = need?.other
  }
  if (next === undefined || last === undefined) return path
  const circle = path.slice(path.indexOf(next))
  const names = [...circle, next].map(({ name }) => name).join(' → ')
  report(manifestError(last.place, `services depend on each other in a circle: ${names}`, 'Remove one of these.'))
  return circle
}
