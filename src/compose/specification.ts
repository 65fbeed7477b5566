// Keys of the Compose Specification that `docker stack deploy` refuses, and what to write instead. Paths as in rules:
// `*` for the author's names, `[]` for list items.

const notYet = 'Remove it: this action does not support it yet, and `docker stack deploy` refuses it too.'
const limits = 'Set it under `deploy.resources` (`limits`, `reservations`).'
const docker = 'Remove it: Swarm has nothing like it.'
const inFile =
  'Put the content into a file, and name that with `file:`, or into a variable, and name that with `environment:`.'

const root: Readonly<Record<string, string>> = {
  models: docker,
}

const service: Readonly<Record<string, string>> = {
  annotations: 'Use `labels` or `deploy.labels`.',
  attach: docker,
  blkio_config: docker,
  cgroup: docker,
  cpu_count: limits,
  cpu_percent: limits,
  cpu_period: limits,
  cpu_rt_period: limits,
  cpu_rt_runtime: limits,
  cpus: 'Use `deploy.resources.limits.cpus`.',
  develop: docker,
  device_cgroup_rules: docker,
  dns_opt: docker,
  gpus: 'Use `deploy.resources.reservations.generic_resources`.',
  group_add: notYet,
  label_file: 'Write the labels into `labels`.',
  mem_reservation: 'Use `deploy.resources.reservations.memory`.',
  mem_swappiness: docker,
  models: docker,
  oom_kill_disable: docker,
  pids_limit: 'Use `deploy.resources.limits.pids`.',
  platform: 'Use `deploy.placement.constraints` with `node.platform.arch`.',
  post_start: docker,
  pre_stop: docker,
  provider: docker,
  pull_policy: 'Remove it: the input `resolve-image` decides when images are looked up.',
  runtime: docker,
  scale: 'Use `deploy.replicas`.',
  storage_opt: docker,
  use_api_socket: docker,
  uts: docker,
}

const elsewhere: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': root,
  'services.*': service,
  'configs.*': { driver: docker },
  'secrets.*': { content: inFile },
  'networks.*': { enable_ipv4: notYet, enable_ipv6: notYet, scope: docker },
  'networks.*.ipam': { options: notYet },
  'networks.*.ipam.config.[]': { gateway: notYet, ip_range: notYet, aux_addresses: notYet },
  'services.*.deploy.resources.reservations': {
    devices: 'Use `generic_resources`.',
    pids: 'Use `deploy.resources.limits.pids`.',
  },
  'services.*.networks.*': {
    gw_priority: notYet,
    interface_name: docker,
    link_local_ips: docker,
    mac_address: docker,
    priority: docker,
  },
  'services.*.ports.[]': {
    app_protocol: 'Remove it: it changes nothing.',
    host_ip: 'Remove it: Swarm publishes on all addresses of a node.',
    name: 'Remove it: it changes nothing.',
  },
  'services.*.volumes.[]': { image: notYet, cluster: notYet },
}

/** What to do about a key at `pattern` that only the Compose Specification knows; undefined for other keys. */
export function instead(pattern: string, key: string): string | undefined {
  const keys = Object.hasOwn(elsewhere, pattern) ? elsewhere[pattern] : undefined
  return keys !== undefined && Object.hasOwn(keys, key) ? keys[key] : undefined
}

/** Where the Compose Specification has a further form of a value: how to write it for a stack. */
const forms: Readonly<Record<string, string>> = {
  'services.*.ports.[].published string':
    'Write a number without quotes; for a range, use the short form "8000-8010:80".',
  'services.*.deploy.resources.limits.cpus float': 'Quote the number.',
  'services.*.build null': 'Remove it: nothing is built here.',
}

export function plainForm(pattern: string, kind: string): string | undefined {
  return forms[`${pattern} ${kind}`]
}
