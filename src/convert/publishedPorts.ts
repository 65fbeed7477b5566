import type { Port, Service, Stack } from '../compose/stack.ts'
import { manifestError, manifestWarning, type Report } from './findings.ts'

/**
 * One port and protocol can be published once in a swarm, whatever the service: the routing mesh listens on every node. Only
 * services that both publish in host mode may share one, and then no node can run both. Tried with engine 20.10: within one
 * service two host ports are refused, too.
 */
export function checkPublishedPorts(stack: Stack, report: Report): void {
  const publishers = new Map<string, { service: Service; port: Port }[]>()
  for (const service of stack.services) {
    for (const port of service.ports) {
      if (Number(port.published) === 0) continue
      const key = `${port.published}/${port.protocol === '' ? 'tcp' : port.protocol.toLowerCase()}`
      const earlier = publishers.get(key) ?? []
      const clash = earlier.find((other) => other.service === service || isIngress(other.port) || isIngress(port))
      const shared = clash ?? earlier[0]
      if (shared !== undefined) report(problem(key, { service, port }, shared, clash !== undefined))
      earlier.push({ service, port })
      publishers.set(key, earlier)
    }
  }
}

/** A host port is bound while the old task runs, so a new one that shall start first has to go to another node. */
export function checkHostPorts(service: Service, report: Report): void {
  if (service.deploy.updateConfig?.order !== 'start-first') return
  const port = service.ports.find(({ mode, published }) => mode === 'host' && Number(published) !== 0)
  if (port === undefined) return
  report(
    manifestWarning(
      port.place,
      `service ${service.name}: with "order: start-first" a new task can't bind the host port ${port.published} while the old one on that node holds it`,
      'Use "order: stop-first", publish in ingress mode, or have more nodes than tasks.',
    ),
  )
}

// --- Internal helpers ---

interface Publisher {
  readonly service: Service
  readonly port: Port
}

function isIngress({ mode }: Port): boolean {
  return mode !== 'host'
}

function problem(key: string, one: Publisher, other: Publisher, refused: boolean) {
  const who =
    one.service === other.service
      ? `service ${one.service.name} publishes port ${key} twice`
      : `service ${one.service.name} publishes port ${key}, as service ${other.service.name} does`
  return refused
    ? manifestError(
        one.port.place,
        `${who}, and Swarm gives a port to one only`,
        'Publish one of them on another port.',
      )
    : manifestWarning(
        one.port.place,
        `${who}, both in host mode: no node can run tasks of both`,
        'Publish one of them on another port, or keep them apart by placement constraints.',
      )
}
