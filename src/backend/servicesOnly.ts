import type { Problem } from '../errors.ts'
import { type Plan, refuseOn } from './plan.ts'

/** A plan's services alone. Throws `missing-resource` with everything that they need and that is yet to be created. */
export function servicesOnly(plan: Plan): Plan {
  const missing = plan.changes.filter(({ kind, action }) => kind !== 'service' && action !== 'update')
  refuseOn(
    missing.map(
      ({ kind, name }): Problem => ({
        severity: 'error',
        code: 'missing-resource',
        message: `the ${kind} "${name}" does not exist, and only services are written`,
        remedy: 'Deploy the whole stack.',
      }),
    ),
    plan.namespace,
  )
  return { ...plan, secrets: [], configs: [], changes: plan.changes.filter(({ kind }) => kind === 'service') }
}
