// The `ports` of a service, short and long forms.
import { integerAt, itemsAt, textAt } from './fields.ts'
import type { MapNode, Node } from './node.ts'
import { shown } from './node.ts'
import type { Reading } from './reading.ts'
import { parseShortPort } from './shortPort.ts'
import { positionOf } from './source.ts'
import type { Port } from './stack.ts'

/** As many as there are: ranges in a list of them could add up to any number. */
const most = 65536
const uint32 = [0n, 2n ** 32n - 1n] as const

/** The long form is taken as it is: what is not given stays empty, and the Engine decides. */
export function readPorts(reading: Reading, service: MapNode): Port[] {
  const ports: Port[] = []
  for (const item of itemsAt(service, 'ports')) {
    if (item.kind === 'map') ports.push(longPort(reading, item))
    else for (const port of shortPorts(reading, item)) ports.push(port)
    if (ports.length <= most) continue
    reading.findings.error(item.place, `the ports of this service are more than ${most}`, 'Publish fewer.')
    break
  }
  return ports
}

function longPort({ findings }: Reading, map: MapNode): Port {
  return {
    mode: textAt(map, 'mode'),
    target: integerAt(map, 'target', findings, uint32) ?? 0,
    published: integerAt(map, 'published', findings, uint32) ?? 0,
    protocol: textAt(map, 'protocol'),
    place: positionOf(map.place),
  }
}

function shortPorts({ findings }: Reading, item: Node): Port[] {
  if (item.kind !== 'string' && item.kind !== 'integer') return []
  const parsed = parseShortPort(String(item.value))
  if (typeof parsed === 'string') return []
  if (parsed.ignoredAddress !== undefined) {
    findings.warning(
      item.place,
      `the IP address of the port ${shown(item)} is ignored: Swarm publishes on all addresses of a node`,
      'Remove the address, and close the port to others in a firewall.',
    )
  }
  const place = positionOf(item.place)
  return parsed.ports.map((port) => ({ mode: 'ingress', ...port, place }))
}
