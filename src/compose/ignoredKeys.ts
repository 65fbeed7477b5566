// Keys that are accepted and do nothing: those that the docker CLI ignores in a stack, and those of the Compose Specification
// that Swarm has nothing for. Each is one warning with its line and what happens instead.

import { mapAt, valueAt } from './fields.ts'
import type { Findings } from './findings.ts'
import type { Entry, MapNode, Node } from './node.ts'
import { anything, type Rule } from './rule.ts'
import type { Place } from './source.ts'

/** Key, what happens instead, and what to do. */
type Keys = readonly (readonly [key: string, reason: readonly [happens: string, remedy: string]])[]

/** The docker CLI accepts these too; it warns without reasons, and of the last three not at all. */
export const ofDocker: Keys = [
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
  ['tmpfs', ['nothing is mounted', 'Use a volume of `type: tmpfs`.']],
]

const noLimit = ['the containers may use all processors of a node', 'Use `cpus`.'] as const
const address = ['Swarm chooses the address', 'Use the service’s name instead of an address.'] as const

const ofSpecification: Keys = [
  ['attach', ['a deployment shows no output of containers', 'Remove it.']],
  ['blkio_config', ['the containers share the disks of a node without weights and limits', 'Remove it.']],
  ['cgroup', ["the node's default applies", 'Remove it.']],
  ['cpu_count', noLimit],
  ['cpu_percent', noLimit],
  ['cpu_rt_period', ['the containers get no real-time scheduling', 'Remove it.']],
  ['cpu_rt_runtime', ['the containers get no real-time scheduling', 'Remove it.']],
  ['cpu_shares', ['all containers of a node have equal shares', 'Use `cpus`, or `deploy.resources.reservations`.']],
  ['cpuset', noLimit],
  ['develop', ['nothing is watched or built', 'Remove it.']],
  ['device_cgroup_rules', ['the containers get no devices', 'Remove it.']],
  ['mem_swappiness', ["the node's setting applies", 'Remove it.']],
  ['memswap_limit', ['the containers may use as much swap as memory', 'Remove it.']],
  ['models', ['no model is provided', 'Remove it.']],
  ['oom_kill_disable', ['the kernel may end containers that need too much memory', 'Use `oom_score_adj`.']],
  ['post_start', ['the commands are not run', 'Put them into the entrypoint of the image.']],
  ['pre_stop', ['the commands are not run', 'Let the program act on `stop_signal`.']],
  ['provider', ['nothing is provided', 'Remove it.']],
  [
    'pull_policy',
    [
      'a node pulls the image when a task needs it',
      'Remove it: the input `resolve-image` decides when images are looked up.',
    ],
  ],
  ['pull_refresh_after', ['a node pulls the image when a task needs it', 'Remove it.']],
  ['runtime', ["the node's default runtime applies", 'Set the default runtime of the nodes’ engines.']],
  ['storage_opt', ["the node's storage options apply", 'Remove it.']],
  ['use_api_socket', ["the containers have no access to the engine's socket", 'Remove it.']],
  ['uts', ['every container has its own host name', 'Use `hostname`.']],
  ['volumes_from', ['nothing is mounted', 'Define a volume at the top level, and mount it in each of the services.']],
]

const bind = 'a source that does not exist on the node is an error'

/** By the paths of the mappings that have the keys: `*` for the author's names, `[]` for items of lists. */
export const ignored: Readonly<Record<string, Keys>> = {
  '': [['models', ['no model is provided', 'Remove it.']]],
  'services.*': [...ofDocker, ...ofSpecification],
  'services.*.depends_on.*': [['restart', ['a service is restarted only by a change of its own', 'Remove it.']]],
  'services.*.networks.*': [
    ['ipv4_address', address],
    ['ipv6_address', address],
    ['gw_priority', ['Swarm chooses the gateway', 'Remove it.']],
    ['interface_name', ['Swarm names the interfaces', 'Remove it.']],
    ['link_local_ips', address],
    ['mac_address', address],
    ['priority', ['Swarm connects networks in no order', 'Remove it.']],
  ],
  'services.*.ports.[]': [['app_protocol', ['it changes nothing about the port', 'Remove it.']]],
  'services.*.volumes.[].bind': [
    ['create_host_path', [bind, 'Create the folder on the nodes.']],
    ['recursive', ['what is mounted below the source is mounted too', 'Remove it.']],
    ['selinux', ['nothing is labelled', 'Label the folder on the nodes.']],
  ],
}

/** Rules that accept the keys which are ignored in mappings at `pattern`. */
export function ignoredRules(pattern: string): Readonly<Record<string, Rule>> {
  return Object.fromEntries((ignored[pattern] ?? []).map(([key]) => [key, anything]))
}

/** One warning for each ignored key, at its first place, with the number of the others. */
export function warnOfIgnored(roots: readonly MapNode[], findings: Findings): void {
  warnOfRestart(roots, findings)
  for (const [pattern, keys] of Object.entries(ignored)) {
    const maps = roots.flatMap((root) => mapsAt(root, pattern === '' ? [] : pattern.split('.')))
    for (const [key, [happens, remedy]] of keys) {
      const places = maps.flatMap((map) => placeOf(map.entries.get(key)) ?? [])
      warn(key, places, happens, remedy, findings)
    }
  }
}

function warn(key: string, places: readonly Place[], happens: string, remedy: string, findings: Findings): void {
  const [first] = places
  if (first === undefined) return
  const others = places.length === 1 ? '' : ` (so are ${places.length - 1} more)`
  findings.warning(first, `"${key}" is ignored${others}: ${happens}`, remedy)
}

/** Without a policy under `deploy`, `restart` does count, although the docker CLI says that it is ignored. */
function warnOfRestart(roots: readonly MapNode[], findings: Findings): void {
  const services = roots.flatMap((root) => mapsAt(root, ['services', '*']))
  const decided = services.filter((service) => valueAt(mapAt(service, 'deploy'), 'restart_policy') !== undefined)
  const places = decided.flatMap((service) => placeOf(service.entries.get('restart')) ?? [])
  warn('restart', places, '`deploy.restart_policy` decides', 'Remove it.', findings)
}

function mapsAt(node: Node, [step, ...rest]: readonly string[]): MapNode[] {
  if (step === undefined) return node.kind === 'map' ? [node] : []
  if (step === '[]') return node.kind === 'list' ? node.items.flatMap((item) => mapsAt(item, rest)) : []
  if (node.kind !== 'map') return []
  if (step === '*') return [...node.entries.values()].flatMap(({ value }) => mapsAt(value, rest))
  const value = valueAt(node, step)
  return value === undefined ? [] : mapsAt(value, rest)
}

/** Nothing is lost where nothing was asked for. */
function placeOf(entry: Entry | undefined): Place | undefined {
  if (entry === undefined) return undefined
  const { value, keyPlace } = entry
  const empty =
    value.kind === 'null' ||
    (value.kind === 'list' && value.items.length === 0) ||
    (value.kind === 'boolean' && !value.value)
  return empty ? undefined : keyPlace
}
