import type { Service } from '../compose/stack.ts'
import type { EndpointSpec, PortConfig } from '../swarm/network.ts'
import { nonEmpty, present } from './wire.ts'

/** `EndpointSpec`: always sent, ports sorted by what they publish (others keep the manifest's order), as docker 28 does. */
export function convertEndpoint(service: Service): EndpointSpec {
  const ports = service.ports
    .map(
      ({ name, mode, target, published, protocol }): PortConfig =>
        present({
          Name: nonEmpty(name),
          Protocol: nonEmpty(protocol),
          TargetPort: nonEmpty(target),
          PublishedPort: nonEmpty(published),
          PublishMode: nonEmpty(mode),
        }),
    )
    .sort((left, right) => Number(left.PublishedPort ?? 0) - Number(right.PublishedPort ?? 0))
  return present({ Mode: nonEmpty(service.deploy.endpointMode.toLowerCase()), Ports: nonEmpty(ports) })
}
