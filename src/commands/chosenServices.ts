import type { Stack } from '../compose/stack.ts'
import { didYouMean } from '../convert/findings.ts'
import type { Problem } from '../errors.ts'
import type { Inputs } from '../inputs.ts'
import { shortList } from '../shortList.ts'

/** The mistakes in the inputs that name services of the manifest: `services`, and `force`, which can restart only what is written. */
export function unknownServices(
  { services, force }: Pick<Inputs, 'services' | 'force'>,
  stack: Pick<Stack, 'services' | 'inactive'>,
): readonly Problem[] {
  const known = stack.services.map(({ name }) => name)
  const unknown = (input: string, names: readonly string[]): readonly Problem[] =>
    names
      .filter((name) => !known.includes(name))
      .map((name) => ({
        severity: 'error',
        code: 'input',
        ...(stack.inactive?.includes(name)
          ? {
              message: `the input \`${input}\` names the service "${name}", and none of its profiles is active`,
              remedy: 'Give COMPOSE_PROFILES in `variables`.',
            }
          : {
              message: `the input \`${input}\` names a service "${name}", which the manifest does not have${didYouMean(name, known)}`,
              remedy: `Its services are ${shortList(known, 20)}. Write the names as the manifest has them, without the stack's.`,
            }),
      }))
  const forced = typeof force === 'boolean' ? [] : force
  const leftOut =
    services === undefined ? [] : forced.filter((name) => known.includes(name) && !services.includes(name))
  return [
    ...unknown('services', services ?? []),
    ...unknown('force', forced),
    ...leftOut.map(
      (name): Problem => ({
        severity: 'error',
        code: 'input',
        message: `the input \`force\` names the service "${name}", which the input \`services\` leaves alone`,
        remedy: 'Name it in both, or in none.',
      }),
    ),
  ]
}
