import { DeployError } from '../errors.ts'

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

const forms = 'Write `ssh://user@host`, `ssh://user@host:port` or `unix:///path/to/docker.sock`.'

/**
 * Reads one line of the input `host`. Throws a DeployError with code `input`; its message never repeats the text, which may
 * hold a password.
 */
export function parseEndpoint(text: string, dockerSocket: string): Endpoint {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  switch (scheme) {
    case 'ssh':
      return parseSsh(text, dockerSocket)
    case 'unix': {
      const path = text.slice('unix://'.length)
      if (path.startsWith('/')) return { kind: 'unix', path }
      throw refused(
        'a unix:// endpoint needs an absolute path',
        'Write it with three slashes: `unix:///var/run/docker.sock`.',
      )
    }
    case 'tcp':
    case 'http':
    case 'https':
      throw refused(`${scheme}:// endpoints are not supported yet`, 'Reach the manager with `ssh://user@host`.')
    case undefined:
      throw refused('it has no scheme', forms)
    default:
      throw refused(`${scheme}:// is no way to reach an engine`, forms)
  }
}

function parseSsh(text: string, dockerSocket: string): SshEndpoint {
  const match = /^ssh:\/\/(?:([^@/]*)@)?(\[[0-9a-f:.]+(?:%[\w.-]+)?\]|[^\s:/@[\]?#]+)(?::(\d{1,5}))?\/?$/i.exec(text)
  if (match === null)
    throw refused('it does not read as an ssh address', `${forms} The socket's path belongs in \`docker-socket\`.`)
  const [, user = '', host = '', port = '22'] = match
  if (user.includes(':'))
    throw refused('it holds a password', 'Take the password out of the address; log in with `ssh-key`.')
  if (user === '')
    throw refused('it names no user', `Write whom to log in as: \`ssh://USER@${text.slice('ssh://'.length)}\`.`)
  if (Number(port) < 1 || Number(port) > 65_535)
    throw refused(`${port} is no port number`, 'A port lies between 1 and 65535.')
  return {
    kind: 'ssh',
    user: decoded(user),
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    dockerSocket,
  }
}

function decoded(user: string): string {
  try {
    return decodeURIComponent(user)
  } catch {
    throw refused('its user name has a broken % escape', 'Write a literal % as %25.')
  }
}

function refused(why: string, remedy: string): DeployError {
  return new DeployError('input', `The endpoint in \`host\` can't be used: ${why}.`, { remedy })
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
