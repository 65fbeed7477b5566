import type { Port, Service } from '../compose/stack.ts'
import type { EndpointSpec, PortConfig } from '../swarm/network.ts'
import { nonEmpty, present } from './wire.ts'

/** `EndpointSpec`: always sent. */
export function convertEndpoint(service: Service): EndpointSpec {
  const ports = portsInOrder(service).map(
    ({ name, mode, target, published, protocol }): PortConfig =>
      present({
        Name: nonEmpty(name),
        Protocol: nonEmpty(protocol),
        TargetPort: nonEmpty(target),
        PublishedPort: nonEmpty(published),
        PublishMode: nonEmpty(mode),
      }),
  )
  return present({ Mode: nonEmpty(service.deploy.endpointMode.toLowerCase()), Ports: nonEmpty(ports) })
}

/** Sorted by what they publish; where that is equal the manifest's order stays, as with docker 28. */
export function portsInOrder({ ports }: Service): readonly Port[] {
  return [...ports].sort((left, right) => Number(left.published) - Number(right.published))
}
