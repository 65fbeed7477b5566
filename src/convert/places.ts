import type { FileDefinition, FileReference, Service, Stack } from '../compose/stack.ts'
import type { Position } from '../errors.ts'
import type { ServiceSpec } from '../swarm/service.ts'
import { fileObjectName } from './fileObjects.ts'
import { portsInOrder } from './ports.ts'

/**
 * Where the keys of a service stand. Items of lists have the number that they have in the spec, which sorts some lists:
 * `ports.0`, `volumes.2` (a mount), `volumeDefinitions.2` (of what that mounts), `secrets.1`, `configs.0`.
 */
export function placesOf(
  service: Service,
  spec: ServiceSpec,
  stack: Stack,
  namespace: string,
): Readonly<Record<string, Position | undefined>> {
  const { Secrets, Configs } = spec.TaskTemplate.ContainerSpec ?? {}
  return {
    ...service.places,
    ...numbered('ports', portsInOrder(service)),
    ...numbered('volumes', service.volumes),
    ...numbered(
      'volumeDefinitions',
      service.volumes.map(({ source }) => stack.volumes.get(source)),
    ),
    ...numbered(
      'secrets',
      (Secrets ?? []).map(({ SecretName, File }) =>
        referenceOf(service.secrets, stack.secrets, namespace, SecretName, File?.Name),
      ),
    ),
    ...numbered(
      'configs',
      (Configs ?? []).map(({ ConfigName, File }) =>
        referenceOf(service.configs, stack.configs, namespace, ConfigName, File?.Name),
      ),
    ),
  }
}

// --- Internal helpers ---

function numbered(
  list: string,
  items: readonly ({ readonly place: Position } | undefined)[],
): Record<string, Position> {
  return Object.fromEntries(
    items.flatMap((item, index) => (item === undefined ? [] : [[`${list}.${index}`, item.place]])),
  )
}

function referenceOf(
  references: readonly FileReference[],
  definitions: ReadonlyMap<string, FileDefinition>,
  namespace: string,
  name: string,
  target: string | undefined,
): FileReference | undefined {
  return references.find((reference) => {
    const definition = definitions.get(reference.source)
    return (
      definition !== undefined &&
      fileObjectName(reference.source, definition, namespace) === name &&
      (reference.target || reference.source) === target
    )
  })
}
