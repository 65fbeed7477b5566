// A service that two files describe.
import type { Findings } from './findings.ts'
import { mergeDeploy } from './mergeDeploy.ts'
import {
  append,
  byText,
  mergeBlock,
  mergeEnvironment,
  mergeKeyed,
  mergeMap,
  mergeNetworks,
  prefer,
  preferGiven,
  preferList,
} from './mergeValues.ts'
import { warnOfPowerless } from './powerless.ts'
import type { Dependency, FileReference, Healthcheck, Port, Service } from './stack.ts'

export function mergeService(base: Service, override: Service, findings: Findings): Service {
  warnOfPowerless(base, override, findings)
  const image = prefer(base.image, override.image)
  return {
    name: base.name,
    places: { ...base.places, ...override.places, service: base.places.service },
    profiles: append(base.profiles ?? [], override.profiles ?? []),
    image,
    imageVariables: override.image === '' ? base.imageVariables : override.imageVariables,
    command: preferList(base.command, override.command),
    entrypoint: preferList(base.entrypoint, override.entrypoint),
    environment: mergeEnvironment(base.environment, override.environment),
    hostname: prefer(base.hostname, override.hostname),
    user: prefer(base.user, override.user),
    workingDir: prefer(base.workingDir, override.workingDir),
    labels: mergeMap(base.labels, override.labels),
    capAdd: append(base.capAdd, override.capAdd),
    capDrop: append(base.capDrop, override.capDrop),
    configs: mergeReferences(base.configs, override.configs),
    secrets: mergeReferences(base.secrets, override.secrets),
    credentialSpec: mergeBlock(base.credentialSpec, override.credentialSpec, (one, other) => ({
      config: prefer(one.config, other.config),
      file: prefer(one.file, other.file),
      registry: prefer(one.registry, other.registry),
    })),
    dns: append(base.dns, override.dns),
    dnsSearch: append(base.dnsSearch, override.dnsSearch),
    dnsGiven: base.dnsGiven || override.dnsGiven,
    dnsOptions: append(base.dnsOptions ?? [], override.dnsOptions ?? []),
    groupAdd: append(base.groupAdd ?? [], override.groupAdd ?? []),
    extraHosts: append(base.extraHosts, override.extraHosts),
    healthcheck: mergeBlock(base.healthcheck, override.healthcheck, mergeHealthcheck),
    init: preferGiven(base.init, override.init),
    isolation: prefer(base.isolation, override.isolation),
    logging: mergeBlock(base.logging, override.logging, mergeLogging),
    networks: mergeNetworks(base.networks, override.networks),
    oomScoreAdj: prefer(base.oomScoreAdj, override.oomScoreAdj),
    ports: mergePorts(base.ports, override.ports),
    readOnly: prefer(base.readOnly, override.readOnly),
    restart: prefer(base.restart, override.restart),
    stdinOpen: prefer(base.stdinOpen, override.stdinOpen),
    stopGracePeriod: preferGiven(base.stopGracePeriod, override.stopGracePeriod),
    stopSignal: prefer(base.stopSignal, override.stopSignal),
    sysctls: mergeMap(base.sysctls, override.sysctls),
    tty: prefer(base.tty, override.tty),
    ulimits: mergeMap(base.ulimits, override.ulimits),
    volumes: mergeKeyed(
      base.volumes,
      override.volumes,
      ({ target }) => target,
      (left, right) => byText(left.target, right.target),
    ),
    dependsOn: mergeDependencies(base.dependsOn ?? [], override.dependsOn ?? []),
    deploy: mergeDeploy(base.deploy, override.deploy, override.places),
  }
}

/** The test is replaced: joined, as docker joins it, two tests are none. */
function mergeHealthcheck(base: Healthcheck, override: Healthcheck): Healthcheck {
  return {
    test: preferList(base.test, override.test),
    interval: preferGiven(base.interval, override.interval),
    timeout: preferGiven(base.timeout, override.timeout),
    startPeriod: preferGiven(base.startPeriod, override.startPeriod),
    startInterval: preferGiven(base.startInterval, override.startInterval),
    retries: override.retries ?? base.retries,
    disable: prefer(base.disable, override.disable),
  }
}

type Logging = NonNullable<Service['logging']>

/** Options belong to a driver: those of another one do not stay. */
function mergeLogging(base: Logging, override: Logging): Logging {
  if (base.driver !== '' && override.driver !== '' && base.driver !== override.driver) return override
  return { driver: prefer(base.driver, override.driver), options: mergeMap(base.options, override.options) }
}

function mergeReferences(base: readonly FileReference[], override: readonly FileReference[]): readonly FileReference[] {
  return mergeKeyed(
    base,
    override,
    ({ source }) => source,
    (left, right) => byText(left.source, right.source),
  )
}

function mergeDependencies(base: readonly Dependency[], override: readonly Dependency[]): readonly Dependency[] {
  return mergeKeyed(
    base,
    override,
    ({ service }) => service,
    (left, right) => byText(left.service, right.service),
  )
}

/** One published port is one for each protocol. Unpublished ones have only their target to be known by. */
function mergePorts(base: readonly Port[], override: readonly Port[]): readonly Port[] {
  return mergeKeyed(
    base,
    override,
    ({ published, target, protocol }) => `${published}/${protocol || 'tcp'}/${BigInt(published) === 0n ? target : ''}`,
    (left, right) => Number(left.published) - Number(right.published),
  )
}
