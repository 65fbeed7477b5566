// The keys of a service.
import { deployRules, device } from './deployRules.ts'
import { ignoredRules } from './ignoredKeys.ts'
import {
  boolean,
  duration,
  either,
  integer,
  list,
  listOrMapping,
  mapping,
  mappingOf,
  number,
  orNull,
  type Rule,
  since,
  string,
  stringOrInteger,
  stringOrList,
  stringOrNumber,
  stringsOrNumbers,
  textOrNull,
  uniqueStrings,
} from './rule.ts'

const raw: Rule = { types: ['string'], choices: ['raw'] }

const command = either(string, list(string))

const build = either(
  string,
  mapping(
    {
      context: string,
      dockerfile: string,
      args: listOrMapping,
      labels: since(3, listOrMapping),
      cache_from: since(2, uniqueStrings),
      network: since(4, string),
      target: since(4, string),
      shm_size: since(5, { types: ['integer', 'string'] }),
      extra_hosts: since(9, listOrMapping),
    },
    // Closed before version 3.11, but `build` is ignored whatever it says.
    { open: true },
  ),
)

const fileReference = either(
  string,
  mapping({ source: string, target: string, uid: string, gid: string, mode: stringOrNumber }, { open: true }),
)

const healthcheck = mapping({
  disable: boolean,
  interval: duration,
  retries: number,
  test: command,
  timeout: duration,
  start_period: since(4, duration),
  start_interval: since(12, duration),
})

const longPort = mapping({
  ...ignoredRules('services.*.ports.[]'),
  mode: string,
  target: integer,
  published: stringOrInteger,
  protocol: string,
  host_ip: string,
  name: string,
})
const port: Rule = { ...longPort, types: ['number', 'string', 'mapping'], format: 'port', mappingSince: 2 }

const longVolume = mapping(
  {
    type: string,
    source: string,
    target: string,
    read_only: boolean,
    consistency: string,
    bind: mapping({ propagation: string }, { open: true }),
    volume: mapping({ nocopy: boolean, subpath: string, labels: listOrMapping }, { open: true }),
    tmpfs: since(6, mapping({ size: { types: ['integer', 'string'], minimum: 0 } }, { open: true })),
    image: mapping({ subpath: string }),
    cluster: mapping({}, { open: true }),
  },
  { required: ['type'], mappingSince: 2 },
)

const serviceNetwork = orNull(
  mapping({
    ...ignoredRules('services.*.networks.*'),
    aliases: uniqueStrings,
    ipv4_address: string,
    ipv6_address: string,
    driver_opts: since(13, stringsOrNumbers),
  }),
)

const ulimit = either(integer, mapping({ soft: integer, hard: integer }, { required: ['soft', 'hard'] }))

// What follows is the Compose Specification's: the docker CLI refuses it.
const dependency = orNull(mapping({ condition: string, restart: boolean, required: boolean }))
const addresses: Rule = { types: [...textOrNull.types, 'list'], items: string }
const shorthands = {
  cpu_period: stringOrNumber,
  cpu_quota: stringOrNumber,
  cpus: stringOrNumber,
  mem_limit: stringOrInteger,
  mem_reservation: stringOrInteger,
  pids_limit: stringOrInteger,
  scale: integer,
}
const envFile = mapping({ path: string, required: boolean, format: raw }, { required: ['path'] })

export const serviceRules: Rule = mapping(
  {
    ...ignoredRules('services.*'),
    ...shorthands,
    annotations: listOrMapping,
    build,
    cap_add: uniqueStrings,
    cap_drop: uniqueStrings,
    cgroup_parent: string,
    cgroupns_mode: since(9, string),
    command: orNull(command),
    configs: since(3, list(fileReference)),
    container_name: string,
    credential_spec: since(3, mapping({ config: since(8, string), file: string, registry: string })),
    depends_on: either(mappingOf(dependency), uniqueStrings),
    deploy: deployRules,
    devices: list(either(string, mapping({}, { open: true })), { unique: true }),
    dns: stringOrList,
    dns_opt: uniqueStrings,
    dns_search: stringOrList,
    domainname: string,
    entrypoint: orNull(command),
    env_file: either(string, list(either(string, envFile))),
    environment: listOrMapping,
    extends: either(string, mapping({ service: string, file: string }, { required: ['service'] })),
    expose: list({ types: ['string', 'number'], format: 'expose' }, { unique: true }),
    external_links: uniqueStrings,
    extra_hosts: either(mappingOf(addresses), uniqueStrings),
    gpus: { types: ['string', 'list'], items: device, choices: ['all'] },
    group_add: list(stringOrInteger),
    healthcheck,
    hostname: string,
    image: string,
    init: since(7, boolean),
    ipc: string,
    isolation: since(5, string),
    label_file: stringOrList,
    labels: listOrMapping,
    links: uniqueStrings,
    logging: mapping({ driver: string, options: mappingOf(textOrNull) }),
    mac_address: string,
    network_mode: string,
    networks: either(mappingOf(serviceNetwork), uniqueStrings),
    oom_score_adj: since(13, integer),
    pid: orNull(string),
    platform: string,
    ports: list(port, { unique: true }),
    privileged: boolean,
    profiles: uniqueStrings,
    read_only: boolean,
    restart: string,
    secrets: since(1, list(fileReference)),
    security_opt: uniqueStrings,
    // A number docker's schema allows, and its decoder does not.
    shm_size: stringOrNumber,
    stdin_open: boolean,
    stop_grace_period: duration,
    stop_signal: string,
    sysctls: listOrMapping,
    tmpfs: stringOrList,
    tty: boolean,
    // Names of other forms, and their values, go unchecked with docker, and then crash it.
    ulimits: mappingOf(ulimit),
    user: string,
    userns_mode: string,
    volumes: list(either(string, longVolume)),
    working_dir: string,
  },
  { extensions: 7 },
)
