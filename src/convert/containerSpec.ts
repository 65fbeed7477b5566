import type { Service, Stack } from '../compose/stack.ts'
import { familiarImage } from '../image/reference.ts'
import type { ContainerSpec, DNSConfig, Isolation, Ulimit } from '../swarm/service.ts'
import { convertCapabilities } from './capabilities.ts'
import { convertConfigReferences, convertSecretReferences } from './fileReferences.ts'
import type { Report } from './findings.ts'
import { convertHealthcheck } from './healthcheck.ts'
import { convertMounts, type MountOptions } from './mounts.ts'
import { convertPrivileges } from './privileges.ts'
import { by, byteOrder, nonEmpty, present, stackLabels, wireMap, word } from './wire.ts'

/** `TaskTemplate.ContainerSpec`, in the order of the docker CLI's JSON. The image has a tag, and a digest if the manifest gives one. */
export function convertContainer(
  service: Service,
  stack: Stack,
  namespace: string,
  options: MountOptions,
  report: Report,
): ContainerSpec {
  const capabilities = convertCapabilities(service.capAdd, service.capDrop)
  const configs = convertConfigReferences(service, stack, namespace, report)
  return present({
    Image: nonEmpty(familiarImage(service.image)),
    Labels: stackLabels(service.labels, namespace),
    Command: nonEmpty(service.entrypoint),
    Args: nonEmpty(service.command),
    Hostname: nonEmpty(service.hostname),
    Env: nonEmpty(environment(service)),
    Dir: nonEmpty(service.workingDir),
    User: nonEmpty(service.user),
    Groups: nonEmpty(service.groupAdd),
    Privileges: convertPrivileges(service, configs, report),
    Init: service.init,
    StopSignal: nonEmpty(service.stopSignal),
    TTY: nonEmpty(service.tty),
    OpenStdin: nonEmpty(service.stdinOpen),
    ReadOnly: nonEmpty(service.readOnly),
    Mounts: nonEmpty(convertMounts(service, stack, namespace, options, report)),
    StopGracePeriod: service.stopGracePeriod,
    Healthcheck: convertHealthcheck(service, report),
    Hosts: nonEmpty(hosts(service.extraHosts)),
    DNSConfig: dnsConfig(service),
    Secrets: nonEmpty(convertSecretReferences(service, stack, namespace, report)),
    Configs: nonEmpty(configs),
    Isolation: word<Isolation>(service.isolation),
    Sysctls: wireMap(service.sysctls),
    CapabilityAdd: nonEmpty(capabilities.add),
    CapabilityDrop: nonEmpty(capabilities.drop),
    Ulimits: nonEmpty(ulimits(service)),
    // The docker CLI reads this key and then forgets it: what the file says is sent.
    OomScoreAdj: nonEmpty(Number(service.oomScoreAdj)),
  })
}

// --- Internal helpers ---

/** `KEY=value`, or a bare `KEY` where the value is null; sorted as whole texts. */
function environment(service: Service): readonly string[] {
  return [...service.environment].map(([key, value]) => (value === null ? key : `${key}=${value}`)).sort(byteOrder)
}

/** `host:ip` becomes a line of /etc/hosts. */
function hosts(extraHosts: readonly string[]): readonly string[] {
  return extraHosts.flatMap((text) => {
    const colon = text.indexOf(':')
    return colon === -1 ? [] : [`${text.slice(colon + 1)} ${text.slice(0, colon)}`]
  })
}

function dnsConfig({ dns, dnsSearch, dnsGiven, dnsOptions = [] }: Service): DNSConfig | undefined {
  if (!dnsGiven && dnsOptions.length === 0) return undefined
  return present({ Nameservers: nonEmpty(dns), Search: nonEmpty(dnsSearch), Options: nonEmpty(dnsOptions) })
}

function ulimits(service: Service): readonly Ulimit[] {
  return [...service.ulimits]
    .map(([name, { soft, hard }]) => ({ Name: name, Hard: hard, Soft: soft }))
    .sort(by(({ Name }) => Name))
}
