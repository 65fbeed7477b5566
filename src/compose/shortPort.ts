// The short syntax of ports: `[ip:][published:]target[/protocol]`, with ranges. Source: docker/go-connections nat and
// docker/cli opts/swarmopts/port.go at 28.2.2.

export interface ShortPort {
  readonly target: number
  readonly published: number
  readonly protocol: string
}

export interface ShortPorts {
  /** Ordered as docker does, by the text `port/protocol`. */
  readonly ports: readonly ShortPort[]
  /** Swarm publishes on all addresses, and ignores this one. */
  readonly ignoredAddress?: string
}

interface Range {
  readonly first: number
  readonly last: number
}

/** A text says why the port is not valid. */
export function parseShortPort(text: string): ShortPorts | string {
  const [address, published, containerAndProtocol] = splitAddress(text)
  const [container = '', written = ''] = containerAndProtocol.split('/')
  const protocol = written.toLowerCase() || 'tcp'
  if (!['tcp', 'udp', 'sctp'].includes(protocol)) return 'the protocol must be tcp, udp or sctp'
  const bare = address.replace(/^\[(.*)\]$/, '$1')
  if (bare !== '' && !isAddress(bare)) return 'the part before the published port must be an IP address'
  const target = parseRange(container)
  if (typeof target === 'string')
    return container === '' ? 'the port of the container is missing' : `the port of the container ${target}`
  const host = published === '' ? undefined : parseRange(published)
  if (typeof host === 'string') return `the published port ${host}`
  const ports = expand(target, host, protocol)
  if (typeof ports === 'string') return ports
  return { ports, ...(!isEveryAddress(bare) && { ignoredAddress: bare }) }
}

/** Whether publishing on the address is what Swarm does anyway. */
export function isEveryAddress(address: string): boolean {
  return address === '' || address === '0.0.0.0' || /^[0:]+$/.test(address)
}

function splitAddress(text: string): [address: string, published: string, container: string] {
  const parts = text.split(':')
  const container = parts.pop() ?? ''
  const published = parts.pop() ?? ''
  return [parts.join(':'), published, container]
}

/** A text says what is wrong. */
export function parseRange(text: string): Range | string {
  const match = /^([0-9]+)(?:-([0-9]+))?$/.exec(text)
  if (match === null) return 'must be a number or a range of two'
  const first = Number(match[1])
  const last = Number(match[2] ?? match[1])
  if (first > 65535 || last > 65535) return 'must be at most 65535'
  return last < first ? 'has a range that ends before it begins' : { first, last }
}

function expand(target: Range, host: Range | undefined, protocol: string): ShortPort[] | string {
  const targets = target.last - target.first
  const hosts = host === undefined ? targets : host.last - host.first
  if (hosts !== targets && targets !== 0) return 'the two ranges must be equally long'
  const ports: ShortPort[] = []
  for (let index = 0; index <= Math.max(targets, hosts); index++) {
    ports.push({
      target: target.first + (targets === 0 ? 0 : index),
      published: host === undefined ? 0 : host.first + index,
      protocol,
    })
  }
  const key = (port: ShortPort): string => `${port.target}/${port.protocol}`
  return ports.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}

const ipv4 = /^(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){3}$/

function isAddress(text: string): boolean {
  if (ipv4.test(text)) return text.split('.').every((part) => Number(part) <= 255)
  return isIPv6(text)
}

/** Eight groups, or fewer and one `::`; the last two may be an IPv4 address. */
function isIPv6(text: string): boolean {
  const halves = text.split('::')
  if (halves.length > 2 || !text.includes(':')) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1) ?? ''
  const tail = ipv4.test(last) ? 2 : 1
  if (tail === 2) groups.pop()
  const count = groups.length + (tail === 2 ? 2 : 0)
  return groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) && (halves.length === 2 ? count <= 7 : count === 8)
}
