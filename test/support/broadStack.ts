import type { StackSpec } from '../../src/convert/stackSpec.ts'
import {
  aFileObject,
  aNetworkObject,
  aServiceObject,
  aStackSpec,
  configReference,
  type ServiceParts,
  secretReference,
} from './stackSpecs.ts'

/**
 * A stack with each kind of object more than once, in versions: after the first there are a network, a service, and labels more; with
 * each a secret and a config have another content, one service stays as it is and the others do not. Every service says twice
 * which version it is of, and none has a task.
 */
export function broadStack(namespace: string, version: number): StackSpec {
  const isNew = version > 1
  const labels = isNew ? { team: 'shop' } : {}
  const idle = { Mode: { Replicated: { Replicas: 0 } } }
  const versioned = (key: string, { container, template }: ServiceParts = {}) =>
    aServiceObject(namespace, key, {
      image: `registry.test/${key}:${version}`,
      container: { Env: [`VERSION=${version}`], ...container },
      ...(template && { template }),
      spec: idle,
    })
  const networks = isNew ? ['back', 'front', 'side'] : ['back', 'front']
  const files = {
    Secrets: [secretReference(namespace, 'token'), secretReference(namespace, 'changing')],
    Configs: [configReference(namespace, 'motd', '/motd'), configReference(namespace, 'rules', '/rules')],
  }
  return aStackSpec(namespace, {
    networks: networks.map((key) => aNetworkObject(namespace, key)),
    secrets: [aFileObject(namespace, 'token', 'stays', labels), aFileObject(namespace, 'changing', `is of ${version}`)],
    configs: [aFileObject(namespace, 'motd', 'stays', labels), aFileObject(namespace, 'rules', `are of ${version}`)],
    services: [
      versioned('api', { template: { Networks: [{ Target: `${namespace}_back` }] } }),
      aServiceObject(namespace, 'same', { spec: idle }),
      versioned('web', { container: files, template: { Networks: [{ Target: `${namespace}_front` }] } }),
      versioned('worker', { container: { Secrets: files.Secrets } }),
      ...(isNew ? [versioned('zeta', { template: { Networks: [{ Target: `${namespace}_side` }] } })] : []),
    ],
  })
}

/** The same without secrets, configs and what uses them: two runs then meet at networks and services. */
export function withoutFiles(spec: StackSpec): StackSpec {
  const services = spec.services.filter(({ key }) => key !== 'web' && key !== 'worker')
  return { ...spec, services, secrets: [], configs: [] }
}
