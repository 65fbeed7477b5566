// In which order services are written: two labels of a service, and `depends_on` where one of them makes it count.
import type { Dependency, Service, Stack } from '../compose/stack.ts'
import { isOrderLabel, ROLLOUT_LABEL, WAVE_LABEL } from '../swarm/names.ts'
import { didYouMean, manifestError, manifestWarning, placeOf, type Report } from './findings.ts'
import type { ServiceOrder } from './stackSpec.ts'

interface Wish {
  readonly wave: number | undefined
  readonly isSequential: boolean
}

/**
 * The order of the services that a label has to do with: of those that bear one, and of all that these depend on. What they depend on
 * comes first, and where it says no wave itself, in their wave at the latest. `depends_on` of other services is ignored, as by Swarm.
 * Reports labels that say nothing, names without a service, circles, and waves that contradict `depends_on`.
 */
export function convertOrder(stack: Stack, report: Report): ReadonlyMap<string, ServiceOrder> {
  const services = new Map(stack.services.map((service) => [service.name, service]))
  const wishes = new Map(stack.services.map((service) => [service.name, wishOf(service, report)]))
  const ordered = orderedOnes(services, wishes)
  warnOfIgnored(
    stack.services.filter((service) => !ordered.has(service)),
    report,
  )
  const needs = new Map([...ordered].map((service) => [service, dependenciesOf(service, services, report)]))
  const sorted = dependenciesFirst(needs, report)
  const waves = wavesOf(sorted, wishes, needs, report)
  const after = new Map<string, ReadonlySet<string>>()
  const orders = new Map<string, ServiceOrder>()
  for (const service of sorted) {
    const { name } = service
    const names = (needs.get(service) ?? []).map(({ other }) => other.name)
    const all = new Set(names.flatMap((other) => [...(after.get(other) ?? []), other]))
    after.set(name, all)
    const isSequential = wishes.get(name)?.isSequential ?? false
    orders.set(name, { wave: waves.get(name) ?? 0, isSequential, after: [...all].sort() })
  }
  return orders
}

// --- Internal helpers ---

function wishOf(service: Service, report: Report): Wish {
  const { labels } = service.deploy
  const place = placeOf(service, 'deploy.labels')
  const refuse = (message: string, remedy: string): void =>
    report(manifestError(place, `service ${service.name}: ${message}`, remedy))
  const rollout = labels.get(ROLLOUT_LABEL)
  if (rollout !== undefined && rollout !== 'sequential')
    refuse(`the label "${ROLLOUT_LABEL}" is "${rollout}", which says nothing`, 'Write "sequential", or remove it.')
  const wave = labels.get(WAVE_LABEL)
  const isWave = wave !== undefined && /^-?\d{1,6}$/.test(wave)
  if (wave !== undefined && !isWave)
    refuse(
      `the label "${WAVE_LABEL}" is "${wave}", and not a whole number of at most six digits`,
      'Write for example "1": lower waves are written first, and services without the label are in wave 0.',
    )
  const misplaced = [...service.labels.keys()].filter(isOrderLabel)
  if (misplaced.length > 0)
    report(
      manifestWarning(
        placeOf(service, 'labels'),
        `service ${service.name}: ${misplaced.join(' and ')} as a label of its containers orders nothing`,
        'Write it under "deploy.labels".',
      ),
    )
  return { wave: isWave ? Number(wave) : undefined, isSequential: rollout === 'sequential' }
}

/** Services with a label, and whatever they depend on, directly or not. */
function orderedOnes(services: ReadonlyMap<string, Service>, wishes: ReadonlyMap<string, Wish>): ReadonlySet<Service> {
  const isLabelled = ({ name }: Service): boolean => {
    const { wave, isSequential = false } = wishes.get(name) ?? {}
    return wave !== undefined || isSequential
  }
  const found = new Set([...services.values()].filter(isLabelled))
  for (const { dependsOn = [] } of found) {
    for (const dependency of dependsOn) {
      const other = services.get(dependency.service)
      if (other !== undefined) found.add(other)
    }
  }
  return found
}

function warnOfIgnored(services: readonly Service[], report: Report): void {
  const places = services
    .filter(({ dependsOn = [] }) => dependsOn.length > 0)
    .map((service) => placeOf(service, 'depends_on'))
    .sort((left, right) => (left.file === right.file ? left.line - right.line : left.file < right.file ? -1 : 1))
  const [first] = places
  if (first === undefined) return
  const others = places.length === 1 ? '' : ` (so are ${places.length - 1} more)`
  report(
    manifestWarning(
      first,
      `"depends_on" is ignored${others}: Swarm starts services in no order`,
      `Let the service wait or retry until what it needs is there, or give it a "${WAVE_LABEL}" label: see docs/order.md.`,
    ),
  )
}

interface Need {
  readonly other: Service
  readonly dependency: Dependency
}

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

/** Each service after all that it depends on; those in circles, which are reported, are left out. */
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

function wavesOf(
  sorted: readonly Service[],
  wishes: ReadonlyMap<string, Wish>,
  needs: ReadonlyMap<Service, readonly Need[]>,
  report: Report,
): ReadonlyMap<string, number> {
  const waves = new Map(sorted.map(({ name }) => [name, wishes.get(name)?.wave ?? 0]))
  for (const service of [...sorted].reverse()) {
    const wave = waves.get(service.name) ?? 0
    for (const { other, dependency } of needs.get(service) ?? []) {
      const theirs = waves.get(other.name) ?? 0
      if (theirs <= wave) continue
      if (wishes.get(other.name)?.wave === undefined) {
        waves.set(other.name, wave)
        continue
      }
      report(
        manifestError(
          dependency.place,
          `service ${service.name} of wave ${wave} depends on ${other.name} of wave ${theirs}, which comes later`,
          `Give ${service.name} the wave ${theirs} or a higher one, or ${other.name} a lower one.`,
        ),
      )
    }
  }
  return waves
}
