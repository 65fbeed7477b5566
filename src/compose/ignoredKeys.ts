// Keys of a service that the docker CLI refuses in a stack, and those that it ignores.

import { mapAt, valueAt } from './fields.ts'
import type { Findings } from './findings.ts'
import type { MapNode, Node } from './node.ts'
import type { Place } from './source.ts'

const resources = 'Set the limits under `deploy.resources`.'

/** What to write instead. Source: docker/cli cli/compose/types, ForbiddenProperties. */
const forbidden: ReadonlyMap<string, string> = new Map([
  ['volume_driver', 'Define a volume at the top level, with its `driver`.'],
  ['volumes_from', 'Define a volume at the top level, and mount it in each of the services.'],
  ['cpu_quota', resources],
  ['cpu_shares', resources],
  ['cpuset', resources],
  ['mem_limit', resources],
  ['memswap_limit', resources],
])

/** What happens instead, and what to do. The docker CLI warns of these without reasons, and of the last four not at all. */
const ignored: ReadonlyMap<string, readonly [happens: string, remedy: string]> = new Map([
  ['build', ['nothing is built, the service runs `image`', 'Build and push the image in a step before.']],
  ['cgroup_parent', ['Swarm chooses the cgroup', 'Remove it.']],
  ['cgroupns_mode', ["the node's default applies", 'Remove it, or set the default of the nodes’ engines.']],
  ['devices', ['the containers get no devices', 'Use `generic_resources`, or a bind mount where that is enough.']],
  ['domainname', ['the containers have no domain name', 'Write the full name into `hostname`.']],
  ['external_links', ['services find each other by their names on a common network', 'Put both on one network.']],
  ['ipc', ['every container has its own IPC namespace', 'Remove it.']],
  ['links', ['services find each other by their names on a common network', 'Use `networks` and `aliases`.']],
  ['mac_address', ['Swarm chooses the address', 'Remove it.']],
  [
    'network_mode',
    [
      'the service joins the networks of `networks`, or `default`',
      'For the network of the host, use an external network named "host".',
    ],
  ],
  ['pid', ['every container has its own PID namespace', 'Remove it.']],
  ['privileged', ['the containers run without these privileges', 'Add what is needed with `cap_add`.']],
  ['security_opt', ["the node's default profiles apply", 'Remove it.']],
  ['shm_size', ['/dev/shm has its default size', 'Mount a volume of `type: tmpfs` at /dev/shm.']],
  ['userns_mode', ["the node's setting applies", 'Remove it.']],
  ['container_name', ['Swarm names the containers', 'Use the service’s name, or an alias of a network.']],
  ['expose', ['services on a common network reach all ports of each other anyway', 'Remove it.']],
  ['depends_on', ['Swarm starts services in no order', 'Let the service wait or retry until what it needs is there.']],
  ['tmpfs', ['nothing is mounted', 'Use a volume of `type: tmpfs`.']],
  ['ipv4_address', ['Swarm chooses the address', 'Use the service’s name instead of an address.']],
  ['ipv6_address', ['Swarm chooses the address', 'Use the service’s name instead of an address.']],
])

export function isForbidden(pattern: string, key: string): boolean {
  return pattern === 'services.*' && forbidden.has(key)
}

export function refuseForbidden(root: MapNode, findings: Findings): void {
  for (const [name, service] of services(root)) {
    for (const [key, remedy] of forbidden) {
      const entry = service.entries.get(key)
      const message = `the key "${key}" (services.${name}.${key}) is not supported in a stack`
      if (entry !== undefined) findings.error(entry.keyPlace, message, remedy)
    }
  }
}

/** One warning for each ignored key, at its first place, with the number of the others. */
export function warnOfIgnored(roots: readonly MapNode[], findings: Findings): void {
  const found = new Map<string, { readonly place: Place; count: number }>()
  const note = (key: string, map: MapNode): void => {
    const entry = map.entries.get(key)
    if (entry === undefined || isEmpty(entry.value)) return
    const earlier = found.get(key)
    if (earlier === undefined) found.set(key, { place: entry.keyPlace, count: 1 })
    else earlier.count++
  }
  for (const [, service] of roots.flatMap(services)) {
    for (const key of ignored.keys()) note(key, service)
    // Without a policy under `deploy`, `restart` does count, although the docker CLI says that it is ignored.
    if (valueAt(mapAt(service, 'deploy'), 'restart_policy') !== undefined) note('restart', service)
    for (const { value } of mapAt(service, 'networks')?.entries.values() ?? []) {
      if (value.kind === 'map') for (const key of ['ipv4_address', 'ipv6_address']) note(key, value)
    }
  }
  for (const [key, { place, count }] of found) {
    const [happens, remedy] = ignored.get(key) ?? ['`deploy.restart_policy` decides', 'Remove it.']
    const others = count === 1 ? '' : ` (so are ${count - 1} more)`
    findings.warning(place, `"${key}" is ignored${others}: ${happens}`, remedy)
  }
}

function services(root: MapNode): [name: string, service: MapNode][] {
  return [...(mapAt(root, 'services')?.entries ?? [])].flatMap(([name, { value }]): [string, MapNode][] =>
    value.kind === 'map' ? [[name, value]] : [],
  )
}

/** Nothing is lost where nothing was asked for. */
function isEmpty(value: Node): boolean {
  if (value.kind === 'list') return value.items.length === 0
  return value.kind === 'null' || (value.kind === 'boolean' && !value.value)
}
