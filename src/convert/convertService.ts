import type { Service, Stack } from '../compose/stack.ts'
import { faultOfImage } from '../image/reference.ts'
import { IMAGE_LABEL, scopedName } from '../swarm/names.ts'
import type { ServiceSpec, TaskSpec } from '../swarm/service.ts'
import { convertContainer } from './containerSpec.ts'
import { checkEngineRules } from './engineRules.ts'
import { manifestError, placeOf, type Report } from './findings.ts'
import { convertMode } from './mode.ts'
import type { MountOptions } from './mounts.ts'
import { convertAttachments } from './networks.ts'
import { convertPlacement } from './placement.ts'
import { placesOf } from './places.ts'
import { convertEndpoint } from './ports.ts'
import { checkHostPorts } from './publishedPorts.ts'
import { convertResources } from './resources.ts'
import { convertRestartPolicy } from './restartPolicy.ts'
import type { ServiceObject } from './stackSpec.ts'
import { convertUpdateConfig } from './updateConfig.ts'
import { nonEmpty, present, stackLabels, wireMap } from './wire.ts'

/** One service, in the order of the docker CLI's JSON. Source: docker/cli cli/compose/convert/service.go. */
export function convertService(
  service: Service,
  stack: Stack,
  namespace: string,
  options: MountOptions,
  report: Report,
): ServiceObject {
  const name = scopedName(namespace, service.name)
  checkImage(service, report)
  checkEngineRules(service, namespace, report)
  checkHostPorts(service, report)
  const labels = new Map([...service.deploy.labels, [IMAGE_LABEL, service.image]])
  const spec: ServiceSpec = present({
    Name: name,
    Labels: stackLabels(labels, namespace),
    TaskTemplate: convertTask(service, stack, namespace, options, report),
    Mode: convertMode(service, report),
    UpdateConfig: convertUpdateConfig(service.deploy.updateConfig),
    RollbackConfig: convertUpdateConfig(service.deploy.rollbackConfig),
    EndpointSpec: convertEndpoint(service),
  })
  return {
    key: service.name,
    name,
    image: service.image,
    spec,
    position: service.places.service,
    places: placesOf(service, spec, stack, namespace),
  }
}

// --- Internal helpers ---

function convertTask(
  service: Service,
  stack: Stack,
  namespace: string,
  options: MountOptions,
  report: Report,
): TaskSpec {
  const { logging, deploy } = service
  return present({
    ContainerSpec: convertContainer(service, stack, namespace, options, report),
    Resources: convertResources(deploy.resources),
    RestartPolicy: convertRestartPolicy(service, report),
    Placement: convertPlacement(deploy.placement),
    Networks: nonEmpty(convertAttachments(service, stack, namespace, report)),
    LogDriver: logging && present({ Name: nonEmpty(logging.driver), Options: wireMap(logging.options) }),
    ForceUpdate: 0,
  })
}

function checkImage(service: Service, report: Report): void {
  const fault = faultOfImage(service.image)
  if (fault === undefined) return
  const unset = service.imageVariables ?? []
  const because =
    unset.length === 0 ? '' : `, because ${unset.join(' and ')} ${unset.length === 1 ? 'has' : 'have'} no value`
  report(
    manifestError(
      placeOf(service, 'image'),
      `invalid image reference for service ${service.name}: ${fault}${because}`,
      remedyOfImage(service.image, unset),
    ),
  )
}

function remedyOfImage(image: string, [unset]: readonly string[]): string {
  if (unset !== undefined) return `Give ${unset} a value, or write a default, as in "\${${unset}:-latest}".`
  return image === ''
    ? 'Add "image:" with an image that the nodes can pull: Swarm builds none.'
    : `Correct "${image}": it should look like "nginx:1.27" or "ghcr.io/acme/shop:1.2".`
}
