import type { IpamPool, NetworkDefinition, Service, ServiceNetwork, Stack } from '../compose/stack.ts'
import { scopedName } from '../swarm/names.ts'
import type { IPAMConfig, IPAMOptions, NetworkAttachmentConfig, NetworkCreateRequest } from '../swarm/network.ts'
import { nameFault } from './engineNames.ts'
import { didYouMean, manifestError, manifestWarning, placeOf, type Report } from './findings.ts'
import type { NetworkObject } from './stackSpec.ts'
import { by, nonEmpty, present, stackLabels, wireMap } from './wire.ts'

const defaultNetwork = 'default'

/**
 * The networks that some service uses, sorted by the manifest's name; others are not made, as with the docker CLI. The
 * engine's own (`host`, `bridge`, `none`) are left out where the manifest names them as external: there is nothing to look up.
 */
export function convertNetworks(stack: Stack, namespace: string, report: Report): readonly NetworkObject[] {
  const used = new Map<string, Service>()
  for (const service of stack.services) {
    for (const key of networksOf(service).keys()) if (!used.has(key)) used.set(key, service)
  }
  const objects: NetworkObject[] = []
  for (const [key, user] of [...used].sort(by(([name]) => name))) {
    const definition = stack.networks.get(key)
    if (definition === undefined && key !== defaultNetwork) continue
    const name = networkName(key, definition, namespace)
    const position = definition?.place
    if (definition?.external) {
      if (isUserDefined(name)) objects.push({ key, name, position, external: true })
      continue
    }
    checkNetwork(key, name, definition, user, report)
    objects.push({ key, name, position, external: false, spec: networkSpec(name, definition, namespace) })
  }
  return objects
}

/** `TaskTemplate.Networks`: each with the service's name as its last alias, sorted by target. */
export function convertAttachments(
  service: Service,
  stack: Stack,
  namespace: string,
  report: Report,
): readonly NetworkAttachmentConfig[] {
  const attachments: NetworkAttachmentConfig[] = []
  for (const [key, options] of networksOf(service)) {
    const definition = stack.networks.get(key)
    if (definition === undefined && key !== defaultNetwork) {
      report(
        manifestError(
          placeOf(service, `networks.${key}`),
          `service ${service.name}: undefined network "${key}"${didYouMean(key, stack.networks.keys())}`,
          remedyOf([...stack.networks.keys()]),
        ),
      )
      continue
    }
    const target = networkName(key, definition, namespace)
    const aliases = [...(options?.aliases ?? []), ...(isUserDefined(target) ? [service.name] : [])]
    attachments.push(
      present({
        Target: target,
        Aliases: nonEmpty(aliases),
        DriverOpts: options === null ? undefined : wireMap(options.driverOpts),
      }),
    )
  }
  return attachments.sort(by(({ Target = '' }) => Target))
}

// --- Internal helpers ---

function remedyOf(declared: readonly string[]): string {
  const variable = declared.find((key) => key.includes('$'))
  return variable === undefined
    ? 'Declare it under the top-level "networks:", with "external: true" if it exists outside this stack.'
    : `Variables in keys are not replaced: declare it under a plain key, with "name: ${variable}" below.`
}

function networksOf(service: Service): ReadonlyMap<string, ServiceNetwork> {
  const { networks } = service
  return networks === undefined || networks.size === 0 ? new Map([[defaultNetwork, null]]) : networks
}

function networkName(key: string, definition: NetworkDefinition | undefined, namespace: string): string {
  return definition?.name || scopedName(namespace, key)
}

/** Whether a name means a network that somebody made, not one of the engine's own. Source: moby container.NetworkMode. */
function isUserDefined(name: string): boolean {
  return !['default', 'bridge', 'host', 'none'].includes(name) && !name.startsWith('container:')
}

function networkSpec(name: string, definition: NetworkDefinition | undefined, namespace: string): NetworkCreateRequest {
  return {
    Driver: definition?.driver || 'overlay',
    Scope: '',
    ...present({ EnableIPv4: definition?.enableIpv4, EnableIPv6: definition?.enableIpv6 }),
    IPAM: ipam(definition),
    Internal: definition?.internal ?? false,
    Attachable: definition?.attachable ?? false,
    Ingress: false,
    ConfigOnly: false,
    ConfigFrom: null,
    Options: wireMap(definition?.driverOpts ?? new Map()) ?? null,
    Labels: stackLabels(definition?.labels ?? new Map(), namespace),
    Name: name,
  }
}

/** Null unless the manifest says something of it. */
function ipam(definition: NetworkDefinition | undefined): IPAMOptions | null {
  const { driver = '', subnets = [], options = new Map(), pools } = definition?.ipam ?? {}
  const config = pools?.map(pool) ?? subnets.map((subnet) => present({ Subnet: nonEmpty(subnet) }))
  if (driver === '' && config.length === 0 && options.size === 0) return null
  return { Driver: driver, Options: wireMap(options) ?? null, Config: config.length === 0 ? null : config }
}

function pool({ subnet, ipRange, gateway, auxAddresses }: IpamPool): IPAMConfig {
  return present({
    Subnet: nonEmpty(subnet),
    IPRange: nonEmpty(ipRange),
    Gateway: nonEmpty(gateway),
    AuxiliaryAddresses: wireMap(auxAddresses),
  })
}

function checkNetwork(
  key: string,
  name: string,
  definition: NetworkDefinition | undefined,
  user: Service,
  report: Report,
): void {
  const place = definition?.place ?? user.places.service
  const fault = nameFault('network', name)
  if (fault !== undefined) {
    report(manifestError(place, `network ${key}: ${fault.message}`, fault.remedy))
  }
  if (definition !== undefined && isOverlayWithIpv6(definition)) {
    report(
      manifestWarning(
        place,
        `network ${key}: Swarm is not made for IPv6 on overlay networks: nodes reject a task that gets an address of an IPv6 subnet, and older engines reject all where IPv6 has no subnet`,
        'Remove `enable_ipv6` and the IPv6 subnets.',
      ),
    )
  }
  if (definition?.driver === 'bridge') {
    report(
      manifestError(
        place,
        `network ${key}: driver "bridge" makes a network of one node, and swarm services can only use swarm-wide ones`,
        'Remove the line "driver: bridge" (the default is overlay), or write "driver: overlay".',
      ),
    )
  }
}

/** Tried with engine 20.10, and reported of later ones: moby/moby issues 41624, 43615 and 48116. */
function isOverlayWithIpv6({ driver, enableIpv6, ipam }: NetworkDefinition): boolean {
  const hasSubnet = ipam?.subnets.some((subnet) => subnet.includes(':')) === true
  return (driver === '' || driver === 'overlay') && (enableIpv6 === true || hasSubnet)
}
