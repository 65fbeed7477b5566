import type { StackSight } from './orphans.ts'
import type { Plan } from './plan.ts'

/**
 * The stack as it will be once a plan is written and all runs, as far as orphans go by it: what a service is now is then what it was before,
 * and the records that its own makes superfluous are gone. What a plan creates refers only to what the manifest has. Pure.
 * @param dropped ids of those records
 */
export function sightAfter(
  sight: StackSight,
  { services }: Pick<Plan, 'services'>,
  dropped: ReadonlySet<string>,
): StackSight {
  const written = new Map(services.filter(({ action }) => action !== 'none').map(({ name, spec }) => [name, spec]))
  return {
    ...sight,
    services: sight.services.map((service) => {
      const spec = written.get(service.Spec.Name ?? '')
      return spec === undefined ? service : { ...service, Spec: spec, PreviousSpec: service.Spec }
    }),
    records: sight.records.filter(({ ID }) => !dropped.has(ID)),
  }
}
