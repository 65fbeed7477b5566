// The `ports` of a service, short and long forms.
import { integerAt, itemsAt, textAt, valueAt } from './fields.ts'
import type { MapNode, Node, StringNode } from './node.ts'
import { shown } from './node.ts'
import type { Reading } from './reading.ts'
import { isEveryAddress, parseRange, parseShortPort } from './shortPort.ts'
import { positionOf } from './source.ts'
import type { Port } from './stack.ts'

/** As many as there are: ranges in a list of them could add up to any number. */
const most = 65536
const uint32 = [0n, 2n ** 32n - 1n] as const

/** The long form is taken as it is: what is not given stays empty, and the Engine decides. */
export function readPorts(reading: Reading, service: MapNode): Port[] {
  const ports: Port[] = []
  for (const item of itemsAt(service, 'ports')) {
    if (item.kind === 'map') ports.push(...longPorts(reading, item))
    else for (const port of shortPorts(reading, item)) ports.push(port)
    if (ports.length <= most) continue
    reading.findings.error(item.place, `the ports of this service are more than ${most}`, 'Publish fewer.')
    break
  }
  return ports
}

function longPorts(reading: Reading, map: MapNode): Port[] {
  const { findings } = reading
  const address = valueAt(map, 'host_ip')
  if (address?.kind === 'string' && !isEveryAddress(address.value)) warnOfAddress(reading, address)
  const port: Omit<Port, 'published'> = {
    mode: textAt(map, 'mode'),
    target: integerAt(map, 'target', findings, uint32) ?? 0,
    protocol: textAt(map, 'protocol'),
    ...(map.entries.has('name') && { name: textAt(map, 'name') }),
    place: positionOf(map.place),
  }
  const written = valueAt(map, 'published')
  if (written?.kind === 'string') return publishedTexts(reading, written).map((published) => ({ ...port, published }))
  return [{ ...port, published: integerAt(map, 'published', findings, uint32) ?? 0 }]
}

/** The Compose Specification's form, with ranges as in the short syntax: all of a range lead to the one target. */
function publishedTexts({ findings }: Reading, node: StringNode): number[] {
  if (node.value === '') return [0]
  const range = parseRange(node.value)
  if (typeof range !== 'string') return Array.from({ length: range.last - range.first + 1 }, (_, i) => range.first + i)
  findings.error(
    node.place,
    `the published port ${shown(node)} ${range}`,
    'Write a port such as 8080, or a range such as "8080-8090".',
  )
  return []
}

function warnOfAddress({ findings }: Reading, node: Node): void {
  findings.warning(
    node.place,
    `the IP address of the port ${shown(node)} is ignored: Swarm publishes on all addresses of a node`,
    'Remove the address, and close the port to others in a firewall.',
  )
}

function shortPorts(reading: Reading, item: Node): Port[] {
  if (item.kind !== 'string' && item.kind !== 'integer') return []
  const parsed = parseShortPort(String(item.value))
  if (typeof parsed === 'string') return []
  if (parsed.ignoredAddress !== undefined) warnOfAddress(reading, item)
  const place = positionOf(item.place)
  return parsed.ports.map((port) => ({ mode: 'ingress', ...port, place }))
}
