// One service of one file.
import { readCommand } from './command.ts'
import { readDependencies } from './dependencies.ts'
import { readDeploy } from './deploy.ts'
import { resolveEnvironment } from './environment.ts'
import { extraHosts } from './extraHosts.ts'
import { flagAt, integerAt, itemsAt, mapAt, printed, stringsAt, textAt, valueAt } from './fields.ts'
import { readReferences } from './fileReferences.ts'
import { durationAt, readHealthcheck } from './healthcheck.ts'
import { textMap } from './keyValues.ts'
import { readLabels } from './labels.ts'
import type { MapNode } from './node.ts'
import { placesOf } from './places.ts'
import { readPorts } from './ports.ts'
import type { Reading } from './reading.ts'
import { placesOfShorthands, withShorthands } from './shorthands.ts'
import { type Place, positionOf } from './source.ts'
import type { Service, ServiceNetwork, Ulimit } from './stack.ts'
import { readVolumes } from './volumes.ts'

const int64 = [-(2n ** 63n), 2n ** 63n - 1n] as const

export function readService(reading: Reading, name: string, place: Place, map: MapNode): Service {
  const places = placesOf(map)
  const image = valueAt(map, 'image')
  const init = valueAt(map, 'init')
  const credentialSpec = mapAt(map, 'credential_spec')
  const logging = mapAt(map, 'logging')
  return {
    name,
    places: { ...placesOfShorthands(places), ...places, service: positionOf(place) },
    ...(map.entries.has('profiles') && { profiles: stringsAt(map, 'profiles') }),
    image: textAt(map, 'image'),
    ...(image?.kind === 'string' && image.unset && { imageVariables: image.unset }),
    command: readCommand(reading, map, 'command'),
    entrypoint: readCommand(reading, map, 'entrypoint'),
    environment: resolveEnvironment(reading, map),
    hostname: textAt(map, 'hostname'),
    user: textAt(map, 'user'),
    workingDir: textAt(map, 'working_dir'),
    labels: readLabels(reading, map),
    capAdd: stringsAt(map, 'cap_add'),
    capDrop: stringsAt(map, 'cap_drop'),
    configs: readReferences(reading, map, 'configs'),
    secrets: readReferences(reading, map, 'secrets'),
    credentialSpec: credentialSpec && {
      config: textAt(credentialSpec, 'config'),
      file: textAt(credentialSpec, 'file'),
      registry: textAt(credentialSpec, 'registry'),
    },
    dns: stringsAt(map, 'dns'),
    dnsSearch: stringsAt(map, 'dns_search'),
    dnsGiven: map.entries.has('dns') || map.entries.has('dns_search'),
    ...(map.entries.has('dns_opt') && { dnsOptions: stringsAt(map, 'dns_opt') }),
    ...(map.entries.has('group_add') && { groupAdd: itemsAt(map, 'group_add').flatMap((item) => printed(item) ?? []) }),
    extraHosts: extraHosts(valueAt(map, 'extra_hosts')),
    healthcheck: readHealthcheck(reading, map),
    init: init?.kind === 'boolean' ? init.value : undefined,
    isolation: textAt(map, 'isolation'),
    logging: logging && { driver: textAt(logging, 'driver'), options: textMap(valueAt(logging, 'options')) },
    networks: readNetworks(map),
    oomScoreAdj: integerAt(map, 'oom_score_adj', reading.findings, int64) ?? 0,
    ports: readPorts(reading, map),
    readOnly: flagAt(map, 'read_only'),
    restart: textAt(map, 'restart'),
    stdinOpen: flagAt(map, 'stdin_open'),
    stopGracePeriod: durationAt(map, 'stop_grace_period'),
    stopSignal: textAt(map, 'stop_signal'),
    sysctls: textMap(valueAt(map, 'sysctls')),
    tty: flagAt(map, 'tty'),
    ulimits: readUlimits(reading, mapAt(map, 'ulimits')),
    volumes: readVolumes(reading, map),
    ...(map.entries.has('depends_on') && { dependsOn: readDependencies(map) }),
    deploy: withShorthands(reading, map, readDeploy(reading, map)),
  }
}

function readNetworks(service: MapNode): Map<string, ServiceNetwork> | undefined {
  const map = mapAt(service, 'networks')
  if (map === undefined) {
    if (!service.entries.has('networks')) return undefined
    return new Map(itemsAt(service, 'networks').flatMap((item) => (item.kind === 'string' ? [[item.value, null]] : [])))
  }
  return new Map(
    [...map.entries].map(([name, { value }]) => [
      name,
      value.kind === 'map'
        ? { aliases: stringsAt(value, 'aliases'), driverOpts: textMap(valueAt(value, 'driver_opts')) }
        : null,
    ]),
  )
}

/** A single number is both limits. */
function readUlimits({ findings }: Reading, map: MapNode | undefined): Map<string, Ulimit> {
  const ulimits = new Map<string, Ulimit>()
  for (const [name, { value }] of map?.entries ?? []) {
    const both = value.kind === 'map' ? undefined : integerAt(map, name, findings, int64)
    if (value.kind === 'map') {
      ulimits.set(name, {
        soft: integerAt(value, 'soft', findings, int64) ?? 0,
        hard: integerAt(value, 'hard', findings, int64) ?? 0,
      })
    } else if (both !== undefined) ulimits.set(name, { soft: both, hard: both })
  }
  return ulimits
}
