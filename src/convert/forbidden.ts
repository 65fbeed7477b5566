import type { Service, Stack, VolumeDefinition } from '../compose/stack.ts'
import type { Position, Problem } from '../errors.ts'
import { placeOf, type Report } from './findings.ts'

/** What a workflow can forbid to its manifests. */
export const forbiddable = [
  'bind-mounts',
  'host-network',
  'capabilities',
  'published-ports',
  'external-secrets',
  'external-configs',
  'external-networks',
] as const

export type Forbiddable = (typeof forbiddable)[number]

/** Reports every use of what is forbidden, each at its line. */
export function checkForbidden(stack: Stack, forbidden: ReadonlySet<Forbiddable>, report: Report): void {
  if (forbidden.size === 0) return
  for (const service of stack.services) {
    for (const { kind, place, what } of usesOf(service, stack)) {
      if (forbidden.has(kind)) report(problem(kind, place, `service ${service.name} ${what}`))
    }
  }
}

// --- Internal helpers ---

interface Use {
  readonly kind: Forbiddable
  readonly place: Position
  readonly what: string
}

function problem(kind: Forbiddable, position: Position, use: string): Problem {
  return {
    severity: 'error',
    code: 'forbidden',
    message: `${use}, and this workflow forbids ${kind}`,
    position,
    remedy: `Do without it, or take "${kind}" out of the input "forbid".`,
  }
}

function* usesOf(service: Service, stack: Stack): Generator<Use> {
  for (const { type, source, writtenSource, place } of service.volumes) {
    if (type === 'bind' || type === 'npipe')
      yield { kind: 'bind-mounts', place, what: `mounts "${writtenSource ?? source}" of the node` }
    const volume = stack.volumes.get(source)
    if (volume !== undefined && (type === 'volume' || type === '') && isBindInDisguise(volume)) {
      yield { kind: 'bind-mounts', place, what: `mounts the volume "${source}", which is a folder of the node` }
    }
  }
  for (const name of service.networks?.keys() ?? []) {
    const place = placeOf(service, `networks.${name}`)
    const definition = stack.networks.get(name)
    if (definition?.name === 'host') yield { kind: 'host-network', place, what: `uses the network of the node` }
    if (definition?.external) yield { kind: 'external-networks', place, what: `uses the external network "${name}"` }
  }
  // A service without networks uses the default one, which may be declared, too.
  if ((service.networks?.size ?? 0) === 0) {
    const definition = stack.networks.get('default')
    const place = definition?.place ?? service.places.service
    if (definition?.name === 'host') yield { kind: 'host-network', place, what: `uses the network of the node` }
    if (definition?.external) yield { kind: 'external-networks', place, what: 'uses the external network "default"' }
  }
  if (service.capAdd.length > 0) {
    yield { kind: 'capabilities', place: placeOf(service, 'cap_add'), what: `adds ${service.capAdd.join(', ')}` }
  }
  for (const { target, place } of service.ports) {
    yield { kind: 'published-ports', place, what: `publishes its port ${target}` }
  }
  for (const { source, place } of service.secrets) {
    if (!stack.secrets.get(source)?.external) continue
    yield { kind: 'external-secrets', place, what: `uses the external secret "${source}"` }
  }
  const credentials = service.credentialSpec?.config
  const configs = [
    ...service.configs,
    ...(credentials ? [{ source: credentials, place: placeOf(service, 'credential_spec') }] : []),
  ]
  for (const { source, place } of configs) {
    if (!stack.configs.get(source)?.external) continue
    yield { kind: 'external-configs', place, what: `uses the external config "${source}"` }
  }
}

/** The local driver mounts any folder of the node: `driver_opts: {type: none, o: bind, device: /srv}`. */
function isBindInDisguise({ driver, driverOpts }: VolumeDefinition): boolean {
  const local = driver === '' || driver === 'local'
  const options = (driverOpts.get('o') ?? '').split(',').map((option) => option.trim())
  return (
    local && (options.includes('bind') || options.includes('rbind') || (driverOpts.get('device') ?? '').startsWith('/'))
  )
}
