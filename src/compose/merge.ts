// Several files into one stack, from left to right. Source: docker/cli cli/compose/loader/merge.go; where that loses what
// a file says, this keeps it: ports of other protocols, unpublished ports, a replaced health check test, logging options.
import type { Findings } from './findings.ts'
import { mergeService } from './mergeService.ts'
import type { Service, Stack } from './stack.ts'

/** Services are merged key by key; networks, volumes, secrets and configs of a later file replace those of their names. */
export function mergeStacks(base: Stack, override: Stack, findings: Findings): Stack {
  const services = new Map<string, Service>(base.services.map((service) => [service.name, service]))
  for (const service of override.services) {
    const earlier = services.get(service.name)
    services.set(service.name, earlier === undefined ? service : mergeService(earlier, service, findings))
  }
  return {
    version: base.version,
    name: override.name ?? base.name,
    namePosition: override.namePosition ?? base.namePosition,
    services: [...services.values()],
    networks: new Map([...base.networks, ...override.networks]),
    volumes: new Map([...base.volumes, ...override.volumes]),
    secrets: new Map([...base.secrets, ...override.secrets]),
    configs: new Map([...base.configs, ...override.configs]),
  }
}
