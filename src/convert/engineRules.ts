// What the Engine refuses only once networks, secrets and configs are written already, so that it is better said before.
// Source: moby/swarmkit manager/controlapi/service.go and api/validation; each rule was tried with engine 20.10.
import type { Service, UpdateConfig } from '../compose/stack.ts'
import { parseConstraints } from '../swarm/constraints.ts'
import { scopedName } from '../swarm/names.ts'
import { nameFault } from './engineNames.ts'
import { manifestError, manifestWarning, placeOf, type Report } from './findings.ts'

const leastMemory = 4 * 1024 * 1024
const leastNanoCpus = 1_000_000
const millisecond = 1_000_000
/** The kernel's limit for a host name, less one for what some programs add. */
const longestHostname = 63
const longestPort = 65_535

/** Reports what the Engine would refuse of a service, as errors, and what lets no task start, as warnings. */
export function checkEngineRules(service: Service, namespace: string, report: Report): void {
  const { deploy, name, healthcheck, ports } = service
  const refuse = (place: string, message: string, remedy: string): void =>
    report(manifestError(placeOf(service, place), `service ${name}: ${message}`, remedy))
  const warn = (place: string, message: string, remedy: string): void =>
    report(manifestWarning(placeOf(service, place), `service ${name}: ${message}`, remedy))

  const fault = nameFault('service', scopedName(namespace, name))
  if (fault !== undefined) refuse('', fault.message, fault.remedy)

  if (deploy.mode.endsWith('-job') && deploy.updateConfig !== undefined) {
    refuse('deploy.update_config', 'jobs may not have an update config', 'Remove "update_config:".')
  }
  checkUpdate(deploy.updateConfig, 'update_config', refuse)
  checkUpdate(deploy.rollbackConfig, 'rollback_config', refuse)

  const { condition = '', delay = 0, window = 0 } = deploy.restartPolicy ?? {}
  if (!['', 'none', 'on-failure', 'any'].includes(condition)) {
    refuse(
      'deploy.restart_policy.condition',
      `invalid restart condition "${condition}"`,
      'Write none, on-failure or any.',
    )
  }
  if (delay < 0) refuse('deploy.restart_policy.delay', 'the restart delay is negative', 'Write a positive duration.')
  if (window < 0) refuse('deploy.restart_policy.window', 'the restart window is negative', 'Write a positive duration.')

  const endpointMode = deploy.endpointMode.toLowerCase()
  if (!['', 'vip', 'dnsrr'].includes(endpointMode)) {
    refuse('deploy.endpoint_mode', `invalid endpoint mode "${deploy.endpointMode}"`, 'Write vip or dnsrr.')
  }
  if (endpointMode === 'dnsrr' && ports.some(({ mode }) => mode !== 'host')) {
    refuse(
      'deploy.endpoint_mode',
      "a port published in ingress mode can't be used with endpoint mode dnsrr",
      'Publish it with "mode: host", or use "endpoint_mode: vip".',
    )
  }
  ports.forEach(({ target, published }, index) => {
    for (const port of [target, published]) {
      if (port <= longestPort) continue
      warn(`ports.${index}`, `${port} is no port`, `Write a number up to ${longestPort}.`)
    }
  })

  for (const half of ['limits', 'reservations'] as const) {
    const { memoryBytes = 0, nanoCpus = 0 } = deploy.resources[half] ?? {}
    if (memoryBytes !== 0 && memoryBytes < leastMemory) {
      refuse(
        `deploy.resources.${half}.memory`,
        `${memoryBytes} bytes of memory are too few for Swarm, which wants at least 4 MiB`,
        'Write for example "64M"; a number without a unit means bytes.',
      )
    }
    if (nanoCpus !== 0 && nanoCpus < leastNanoCpus) {
      refuse(
        `deploy.resources.${half}.cpus`,
        `${Number(nanoCpus) / 1e9} cpus are too few for Swarm, which wants at least 0.001`,
        'Write for example "0.25".',
      )
    }
  }
  if (deploy.resources.reservations?.genericResources.includes(undefined)) {
    refuse(
      'deploy.resources.reservations.generic_resources',
      'a generic resource has no discrete_resource_spec, and the engine drops the connection over it',
      'Give it a "discrete_resource_spec:" with "kind:" and "value:".',
    )
  }

  for (const key of ['interval', 'timeout', 'startPeriod', 'startInterval'] as const) {
    const value = healthcheck?.disable ? 0 : (healthcheck?.[key] ?? 0)
    if (value === 0 || value >= millisecond) continue
    const written = key.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`)
    refuse(`healthcheck.${written}`, `the healthcheck's ${written} is below 1ms`, 'Write for example "10s".')
  }

  deploy.placement.constraints.forEach((constraint, index) => {
    if (parseConstraints([constraint]) !== undefined) return
    warn(
      `deploy.placement.constraints.${index}`,
      `the engine will refuse the placement constraint "${constraint}", which it can't read`,
      'Write it like "node.role == manager" or "node.labels.disk != ssd".',
    )
  })

  const length = shortestHostname(service.hostname, scopedName(namespace, name)).length
  if (length > longestHostname) {
    warn(
      'hostname',
      `the hostname "${service.hostname}" grows to ${length} characters or more, and no task starts with over ${longestHostname}`,
      'Shorten it; {{.Task.ID}} alone has 25 characters.',
    )
  }
}

// --- Internal helpers ---

function checkUpdate(
  block: UpdateConfig | undefined,
  key: 'update_config' | 'rollback_config',
  refuse: (place: string, message: string, remedy: string) => void,
): void {
  if (block === undefined) return
  const { failureAction, order, delay, monitor, maxFailureRatio } = block
  const place = `deploy.${key}`
  if (!['', 'pause', 'continue', 'rollback'].includes(failureAction)) {
    refuse(
      `${place}.failure_action`,
      `invalid failure action "${failureAction}" in ${key}`,
      'Write pause, continue or rollback.',
    )
  }
  if (!['', 'start-first', 'stop-first'].includes(order)) {
    refuse(`${place}.order`, `invalid order "${order}" in ${key}`, 'Write start-first or stop-first.')
  }
  // Swarm checks these in the update block only.
  if (key === 'rollback_config') return
  if (delay < 0) refuse(`${place}.delay`, 'the update delay is negative', 'Write a positive duration.')
  if (monitor < 0) refuse(`${place}.monitor`, 'the update monitor is negative', 'Write a positive duration.')
  if (maxFailureRatio < 0 || maxFailureRatio > 1) {
    refuse(
      `${place}.max_failure_ratio`,
      `max_failure_ratio ${maxFailureRatio} is not within 0 and 1`,
      'Write for example 0.2.',
    )
  }
}

/** The hostname with Swarm's templates at their shortest: ids have 25 characters, slots one, other names any number. */
function shortestHostname(hostname: string, service: string): string {
  const id = 'i'.repeat(25)
  const values: Readonly<Record<string, string>> = {
    'Task.ID': id,
    'Service.ID': id,
    'Node.ID': id,
    'Service.Name': service,
    'Task.Slot': '1',
    'Task.Name': `${service}.1.${id}`,
  }
  return hostname
    .replace(/\{\{\s*\.([A-Za-z.]+)\s*\}\}/g, (_, name: string) => values[name] ?? '')
    .replace(/\{\{.*?\}\}/g, '')
}
