/** Where an engine is reached. */
export type Endpoint = SshEndpoint | TcpEndpoint | { readonly kind: 'unix'; readonly path: string }

/** A server to log in to. */
export interface SshHost {
  readonly user: string
  /** A name or an address, IPv6 without its brackets. */
  readonly host: string
  readonly port: number
}

export interface SshEndpoint extends SshHost {
  readonly kind: 'ssh'
  /** The engine's socket on that host. */
  readonly dockerSocket: string
}

/** An engine that listens on a port itself. */
export interface TcpEndpoint {
  readonly kind: 'tcp'
  readonly host: string
  readonly port: number
}

/** `host`, or `[host]:port` where the port is not 22: how known_hosts writes it. */
export function hostName(host: string, port: number): string {
  const name = host.toLowerCase()
  return port === 22 ? name : `[${name}]:${port}`
}

/** `host:port`, or `[address]:port` for IPv6. */
export function hostPort({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** `ssh://deploy@host:2222`, for messages. */
export function describeEndpoint(endpoint: Endpoint): string {
  switch (endpoint.kind) {
    case 'unix':
      return `unix://${endpoint.path}`
    case 'tcp':
      return `tcp://${hostPort(endpoint)}`
    case 'ssh': {
      const host = endpoint.port === 22 ? hostPort(endpoint).replace(/:22$/, '') : hostPort(endpoint)
      return `ssh://${endpoint.user}@${host}`
    }
  }
}
