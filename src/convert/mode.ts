import type { Service } from '../compose/stack.ts'
import type { ServiceMode } from '../swarm/service.ts'
import { didYouMean, manifestError, placeOf, type Report } from './findings.ts'
import { present } from './wire.ts'

const modes = ['replicated', 'global', 'replicated-job', 'global-job']

/** `Mode`. Replicas that are not given are not sent: the Engine takes 1. */
export function convertMode(service: Service, report: Report): ServiceMode {
  const { mode, replicas } = service.deploy
  if (mode === '' || mode === 'replicated') return { Replicated: present({ Replicas: replicas }) }
  if (mode === 'replicated-job') {
    return { ReplicatedJob: present({ MaxConcurrent: replicas, TotalCompletions: replicas }) }
  }
  if (mode !== 'global' && mode !== 'global-job') {
    report(
      manifestError(
        placeOf(service, 'deploy.mode'),
        `service ${service.name}: unknown mode: ${mode}${didYouMean(mode, modes)}`,
        `Write ${modes.slice(0, -1).join(', ')} or ${modes.at(-1)}.`,
      ),
    )
    return {}
  }
  if (replicas !== undefined) {
    report(
      manifestError(
        placeOf(service, 'deploy.replicas'),
        `service ${service.name}: replicas can only be used with replicated or replicated-job mode`,
        `Remove "replicas:", or change "mode: ${mode}".`,
      ),
    )
  }
  return mode === 'global' ? { Global: {} } : { GlobalJob: {} }
}
