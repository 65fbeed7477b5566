/** Where an engine is reached. */
export type Endpoint = SshEndpoint | { readonly kind: 'unix'; readonly path: string }

export interface SshEndpoint {
  readonly kind: 'ssh'
  readonly user: string
  /** A name or an address, IPv6 without its brackets. */
  readonly host: string
  readonly port: number
  /** The engine's socket on that host. */
  readonly dockerSocket: string
}

/** `host`, or `[host]:port` where the port is not 22: how known_hosts writes it. */
export function hostName(host: string, port: number): string {
  const name = host.toLowerCase()
  return port === 22 ? name : `[${name}]:${port}`
}

/** `ssh://deploy@host:2222`, for messages. */
export function describeEndpoint(endpoint: Endpoint): string {
  if (endpoint.kind === 'unix') return `unix://${endpoint.path}`
  const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host
  return `ssh://${endpoint.user}@${host}${endpoint.port === 22 ? '' : `:${endpoint.port}`}`
}
