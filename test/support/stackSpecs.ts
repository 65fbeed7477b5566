// Stack specs for tests that need no manifest.
import type {
  ConfigObject,
  NetworkObject,
  SecretObject,
  ServiceObject,
  StackSpec,
} from '../../src/convert/stackSpec.ts'
import type { Position } from '../../src/errors.ts'
import { IMAGE_LABEL, NAMESPACE_LABEL, scopedName } from '../../src/swarm/names.ts'
import type { NetworkCreateRequest } from '../../src/swarm/network.ts'
import type { ContainerSpec, ServiceSpec, TaskSpec } from '../../src/swarm/service.ts'

const at = (line: number): Position => ({ file: 'stack.yml', line, column: 3 })

export function aStackSpec(namespace: string, parts: Partial<StackSpec> = {}): StackSpec {
  return { namespace, networks: [], secrets: [], configs: [], services: [], ...parts }
}

export interface ServiceParts {
  readonly image?: string
  readonly container?: ContainerSpec
  readonly template?: Partial<TaskSpec>
  readonly spec?: Partial<ServiceSpec>
}

/** A service as the converter makes it; it stops within a second. */
export function aServiceObject(
  namespace: string,
  key: string,
  { image = 'tb/ok:1', container, template, spec }: ServiceParts = {},
): ServiceObject {
  const name = scopedName(namespace, key)
  return {
    key,
    name,
    image,
    position: at(2),
    places: { image: at(3) },
    spec: {
      Name: name,
      TaskTemplate: {
        ContainerSpec: {
          Image: image,
          Labels: { [NAMESPACE_LABEL]: namespace },
          StopGracePeriod: 1_000_000_000,
          Privileges: { CredentialSpec: null, SELinuxContext: null, NoNewPrivileges: false },
          ...container,
        },
        Resources: {},
        Placement: {},
        ...template,
      },
      Mode: { Replicated: {} },
      EndpointSpec: {},
      ...spec,
      Labels: { [NAMESPACE_LABEL]: namespace, [IMAGE_LABEL]: image, ...spec?.Labels },
    },
  }
}

export function aNetworkObject(
  namespace: string,
  key: string,
  spec: Partial<NetworkCreateRequest> = {},
): NetworkObject {
  const name = spec.Name ?? scopedName(namespace, key)
  const request = { Name: name, Driver: '', Labels: { [NAMESPACE_LABEL]: namespace }, ...spec }
  return { key, name, position: at(30), external: false, spec: request }
}

/** A secret or a config: what a stack says of the two is alike. */
export function aFileObject(
  namespace: string,
  key: string,
  content: string,
  labels: Readonly<Record<string, string>> = {},
): Extract<SecretObject & ConfigObject, { external: false }> {
  const name = scopedName(namespace, key)
  const Labels = { [NAMESPACE_LABEL]: namespace, ...labels }
  return { key, name, position: at(40), external: false, spec: { Name: name, Labels, Data: base64(content) } }
}

export function anExternalObject(name: string) {
  return { key: name, name, position: at(50), external: true as const }
}

/** How a service mounts a secret or config of its stack. */
export function secretReference(namespace: string, key: string, target = key) {
  const File = { Name: target, UID: '0', GID: '0', Mode: 0o444 }
  return { File, SecretID: '', SecretName: scopedName(namespace, key) }
}

export function configReference(namespace: string, key: string, target = key) {
  const File = { Name: target, UID: '0', GID: '0', Mode: 0o444 }
  return { File, ConfigID: '', ConfigName: scopedName(namespace, key) }
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
