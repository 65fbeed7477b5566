import { type Fault, type Form, faulty, type Parsed, parsed, quoted, settled } from './form.ts'
import { type ListItem, listItems } from './list.ts'

/** Where a manager's engine answers. */
export type Endpoint =
  | { readonly kind: 'ssh'; readonly user: string; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

const SSH = /^ssh:\/\/(?:([^@/]*)@)?(\[[0-9A-Fa-f:.%a-z]+\]|[^\s:/@[\]?#]+)(?::(\d+))?\/?$/i

/** Manager endpoints, one a line. This version takes one, over ssh or a local socket. */
export const endpoints: Form<readonly Endpoint[]> = (text) => {
  const items = listItems(text)
  if (items.length === 0) return faulty('it names no endpoint', 'Write one such as `ssh://deploy@manager.example.com`.')
  const results = items.map(endpoint)
  const faults: Fault[] = results.flatMap((one) => (one.ok ? [] : one.faults))
  if (items.length > 1) faults.push({ what: 'more than one endpoint is not supported yet', remedy: 'Keep one line.' })
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
      return faulty(`line ${line}: tcp:// is not supported yet`, 'Use `ssh://user@host`.')
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
        'Write `ssh://user@host` or `unix:///path`.',
      )
  }
}

function ssh(line: number, text: string): Parsed<Endpoint> {
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
    return faulty(`line ${line} has a password in the address`, 'Take it out: `ssh-key` is how this action logs in.')
  }
  if (user === '') return faulty(`line ${line} names no user`, `Write \`ssh://USER@${text.slice('ssh://'.length)}\`.`)
  if (Number(port) < 1 || Number(port) > 65535) return faulty(`line ${line}: ${port} is no port`)
  const name = percentDecoded(user)
  if (name === undefined || /[\s\p{Cc}]/u.test(name)) return faulty(`line ${line} has no usable user name`)
  return parsed({ kind: 'ssh', user: name, host: host.replace(/^\[|\]$/g, ''), port: Number(port) })
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
