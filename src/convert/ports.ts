import type { Port, Service } from '../compose/stack.ts'
import type {
  EndpointSpec,
  PortConfig,
  PortConfigProtocol,
  PortConfigPublishMode,
  ResolutionMode,
} from '../swarm/network.ts'
import { nonEmpty, present, word } from './wire.ts'

/** `EndpointSpec`: always sent. */
export function convertEndpoint(service: Service): EndpointSpec {
  const ports = portsInOrder(service).map(
    ({ name, mode, target, published, protocol }): PortConfig =>
      present({
        Name: nonEmpty(name),
        Protocol: word<PortConfigProtocol>(protocol),
        TargetPort: nonEmpty(target),
        PublishedPort: nonEmpty(published),
        PublishMode: word<PortConfigPublishMode>(mode),
      }),
  )
  return present({ Mode: word<ResolutionMode>(service.deploy.endpointMode.toLowerCase()), Ports: nonEmpty(ports) })
}

/** Sorted by what they publish; where that is equal the manifest's order stays, as with docker 28. */
export function portsInOrder({ ports }: Service): readonly Port[] {
  return [...ports].sort((left, right) => Number(left.published) - Number(right.published))
}
