// In which order services are written: two labels of a service, and `depends_on` where one of them makes it count.
import type { Service, Stack } from '../compose/stack.ts'
import { isOrderLabel, ROLLOUT_LABEL, WAVE_LABEL } from '../swarm/names.ts'
import { manifestError, manifestWarning, placeOf, type Report } from './findings.ts'
import { type Need, sortByDependency } from './sortByDependency.ts'
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
  const { sorted, needs } = sortByDependency(ordered, services, report)
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
