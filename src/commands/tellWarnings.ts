import type { StackSpec } from '../convert/stackSpec.ts'
import type { Verdict } from '../health/verdict.ts'
import type { CommandContext } from './context.ts'

/** Warns of what is no failure of a service and should be known all the same, at its place in the manifest. */
export function tellWarnings(
  { warn }: Pick<CommandContext, 'warn'>,
  verdicts: readonly Verdict[],
  { services }: Pick<StackSpec, 'services'>,
): void {
  for (const { key, name, warning } of verdicts) {
    if (warning === undefined) continue
    const position = services.find((service) => service.name === name)?.position
    warn({ severity: 'warning', code: 'no-suitable-node', message: `service ${key}: ${warning}`, position })
  }
}
