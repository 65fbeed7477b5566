import { type Fault, type Form, faulty, type Parsed, parsed, quoted, settled } from './form.ts'
import { type ListItem, listItems } from './list.ts'

/** Where a manager's engine answers. */
export type Endpoint =
  | SshAddress
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }

/** IPv6 addresses stand without their brackets. */
export interface SshAddress {
  readonly kind: 'ssh'
  readonly user: string
  readonly host: string
  readonly port: number
}

const SSH = /^ssh:\/\/(?:([^@/]*)@)?(\[[0-9A-Fa-f:.%a-z]+\]|[^\s:/@[\]?#]+)(?::(\d+))?\/?$/i
const NO_PORT = 'Write a number from 1 to 65535 after the host, as in `host:2222`.'
const TCP = /^tcp:\/\/(\[[0-9A-Fa-f:.%a-z]+\]|[^\s:/@[\]?#]+)(?::(\d+))?\/?$/i

/** Manager endpoints, one a line, in the order to be tried. */
export const endpoints: Form<readonly Endpoint[]> = (text) => {
  const items = listItems(text)
  if (items.length === 0) return faulty('it names no endpoint', 'Write one such as `ssh://deploy@manager.example.com`.')
  return all(items.map(endpoint))
}

/** Hosts to pass through over ssh, one a line, in their order. */
export const jumpHosts: Form<readonly SshAddress[]> = (text) =>
  all(
    listItems(text).map(({ line, text: item }) =>
      /^ssh:\/\//i.test(item)
        ? ssh(line, item)
        : faulty(`line ${line} is no ssh address`, 'Write `ssh://user@host` or `ssh://user@host:port`.'),
    ),
  )

/** Whether nobody but this machine can listen in on the way to that host. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

function all<T>(results: readonly Parsed<T>[]): Parsed<readonly T[]> {
  const faults: readonly Fault[] = results.flatMap((one) => (one.ok ? [] : one.faults))
  return settled(
    results.flatMap((one) => (one.ok ? [one.value] : [])),
    faults,
  )
}

function endpoint({ line, text }: ListItem): Parsed<Endpoint> {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  switch (scheme) {
    case 'ssh':
      return ssh(line, text)
    case 'unix': {
      const path = text.slice('unix://'.length)
      return path.startsWith('/')
        ? parsed({ kind: 'unix', path })
        : faulty(
            `${quoted(text)} has no absolute path`,
            'Write it with three slashes, as in `unix:///var/run/docker.sock`.',
          )
    }
    case 'tcp':
      return tcp(line, text)
    case undefined:
      return faulty(
        `line ${line} names no scheme`,
        /^[\w.-]+@[\w.-]+(?::\d+)?$/.test(text)
          ? `Write \`ssh://${text}\`.`
          : 'Write `ssh://user@host`, or `unix:///path`.',
      )
    default:
      return faulty(
        `line ${line}: ${quoted(scheme)} is no way to reach an engine`,
        'Write `ssh://user@host`, `tcp://host:port` or `unix:///path`.',
      )
  }
}

function tcp(line: number, text: string): Parsed<Endpoint> {
  const [, host, port] = TCP.exec(text) ?? []
  if (host === undefined) return faulty(`line ${line} is no tcp address`, 'Write `tcp://host:port`.')
  if (port === undefined) {
    return faulty(
      `line ${line} names no port`,
      'Write `tcp://host:port`; 2376 is the usual one for an engine with TLS.',
    )
  }
  if (!isPort(port)) return faulty(`line ${line}: ${port} is no port`, NO_PORT)
  return parsed({ kind: 'tcp', host: bare(host), port: Number(port) })
}

function ssh(line: number, text: string): Parsed<SshAddress> {
  const match = SSH.exec(text)
  if (match === null) {
    // Not quoted: what does not read as an address may hold a password.
    return faulty(
      `line ${line} is no ssh address`,
      'Write `ssh://user@host` or `ssh://user@host:port`; the path of the socket goes to `docker-socket`.',
    )
  }
  const [, user = '', host = '', port = '22'] = match
  if (user.includes(':')) {
    return faulty(
      `line ${line} has a password in the address`,
      'Take it out and give it in `ssh-password`, or better log in with `ssh-key`.',
    )
  }
  if (user === '') return faulty(`line ${line} names no user`, `Write \`ssh://USER@${text.slice('ssh://'.length)}\`.`)
  if (!isPort(port)) return faulty(`line ${line}: ${port} is no port`, NO_PORT)
  const name = percentDecoded(user)
  if (name === undefined || /[\s\p{Cc}]/u.test(name)) {
    return faulty(
      `line ${line} has no usable user name: it has blanks or control characters, or a \`%\` that begins no code`,
      'Write the name of a user of that machine, as in `ssh://deploy@host`; a `%` in it is `%25`.',
    )
  }
  return parsed({ kind: 'ssh', user: name, host: bare(host), port: Number(port) })
}

function isPort(text: string): boolean {
  return Number(text) >= 1 && Number(text) <= 65535
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
