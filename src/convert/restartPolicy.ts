import type { Service } from '../compose/stack.ts'
import type { RestartPolicy, RestartPolicyCondition } from '../swarm/service.ts'
import { manifestError, placeOf, type Report } from './findings.ts'
import { present, word } from './wire.ts'

/** `TaskTemplate.RestartPolicy`: `deploy.restart_policy` as it is, else what the old `restart:` means; undefined for neither. */
export function convertRestartPolicy(service: Service, report: Report): RestartPolicy | undefined {
  const { restartPolicy } = service.deploy
  if (restartPolicy === undefined) return legacyPolicy(service, report)
  const { condition, delay, maxAttempts, window } = restartPolicy
  return present({
    Condition: word<RestartPolicyCondition>(condition),
    Delay: delay,
    MaxAttempts: maxAttempts,
    Window: window,
  })
}

// --- Internal helpers ---

/** Source: docker/cli opts/parse.go and cli/compose/convert/service.go of 28.2. */
function legacyPolicy(service: Service, report: Report): RestartPolicy | undefined {
  const refuse = (message: string): undefined => {
    report(
      manifestError(
        placeOf(service, 'restart'),
        `service ${service.name}: ${message}`,
        'Write "no", "always", "unless-stopped", "on-failure" or "on-failure:3", or better use "deploy.restart_policy".',
      ),
    )
  }
  const { restart } = service
  const colon = restart.indexOf(':')
  const name = colon === -1 ? restart : restart.slice(0, colon)
  const count = colon === -1 ? '' : restart.slice(colon + 1)
  if (colon === 0) return refuse('invalid restart policy format: no policy provided before colon')
  const attempts = count === '' ? 0n : /^[+-]?\d+$/.test(count) ? BigInt(count.replace(/^\+/, '')) : undefined
  if (attempts === undefined || attempts !== BigInt.asIntN(64, attempts)) {
    return refuse('invalid restart policy format: maximum retry count must be an integer')
  }
  if (name === '' || name === 'no') return undefined
  if (name === 'always' || name === 'unless-stopped') return { Condition: 'any' }
  if (name !== 'on-failure') return refuse(`unknown restart policy: ${restart}`)
  return { Condition: 'on-failure', MaxAttempts: unsigned(attempts) }
}

/** docker makes a negative count a very large one, so that it means "without end". */
function unsigned(value: bigint): number | bigint {
  const wrapped = BigInt.asUintN(64, value)
  return wrapped <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(wrapped) : wrapped
}
