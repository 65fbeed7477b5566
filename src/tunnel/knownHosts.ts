// The known_hosts format of sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT".
import crypto from 'node:crypto'
import { DeployError } from '../errors.ts'
import { type HostKey, hostKeyOf } from './hostKey.ts'

export interface KnownHost {
  /** From 1. */
  readonly line: number
  readonly marker?: 'revoked' | 'cert-authority' | undefined
  /** Whether the line is about `host`, or `[host]:port` for a port other than 22. */
  readonly matches: (name: string) => boolean
  readonly key: HostKey
}

export interface KnownHosts {
  /** For messages: `the input known-hosts`, or the file's path. */
  readonly source: string
  readonly entries: readonly KnownHost[]
  /** Lines that say nothing, and why; a file of years may have some. */
  readonly unreadable: readonly { readonly line: number; readonly why: string }[]
}

const keyType = /^(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+|sk-[\w-]+@openssh\.com)$/

/** Throws a DeployError with code `host-key` for a line that is a bare public key: it pins nothing, whatever was meant by it. */
export function parseKnownHosts(text: string, source: string): KnownHosts {
  const entries: KnownHost[] = []
  const unreadable: { line: number; why: string }[] = []
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = index + 1
    const fields = raw.trim().split(/[ \t]+/)
    const first = fields[0] ?? ''
    if (first === '' || first.startsWith('#')) continue
    if (keyType.test(first)) throw bareKey(source, line, first, fields)
    const entry = parseLine(line, fields)
    if (typeof entry === 'string') unreadable.push({ line, why: entry })
    else entries.push(entry)
  }
  return { source, entries, unreadable }
}

function parseLine(line: number, fields: readonly string[]): KnownHost | string {
  const marked = fields[0]?.startsWith('@') === true
  const marker = marked ? fields[0]?.slice(1) : undefined
  if (marker !== undefined && marker !== 'revoked' && marker !== 'cert-authority') return 'its @marker is unknown'
  const [hosts, type, base64] = marked ? fields.slice(1) : fields
  if (hosts === undefined || type === undefined || base64 === undefined) return 'it is not `host type key`'
  if (/-----BEGIN/.test(fields.join(' '))) return 'it belongs to a private key or a certificate'
  const key = hostKeyOf(Buffer.from(base64, 'base64'))
  if (key === undefined) return 'its key is damaged'
  if (key.type !== type) return `it says ${type}, but its key is ${key.type}`
  const matches = hosts.startsWith('|') ? hashed(hosts) : patterns(hosts)
  return matches === undefined ? 'its hashed host is damaged' : { line, marker, matches, key }
}

/** `|1|salt|hash`: HMAC-SHA1 of the name under the salt, so that the file tells nobody whom it knows. */
function hashed(field: string): ((name: string) => boolean) | undefined {
  const [, version, salt, hash] = field.split('|')
  if (version !== '1' || salt === undefined || hash === undefined) return undefined
  const wanted = Buffer.from(hash, 'base64')
  if (wanted.length !== 20) return undefined
  return (name) => crypto.createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest().equals(wanted)
}

/** A comma-separated list: one pattern must match, and none of the negated ones. */
function patterns(field: string): (name: string) => boolean {
  const list = field.split(',').filter((pattern) => pattern !== '' && pattern !== '!')
  const compiled = list.map((pattern) => {
    const negated = pattern.startsWith('!')
    return { negated, matches: glob(negated ? pattern.slice(1) : pattern) }
  })
  return (name) =>
    compiled.some(({ negated, matches }) => !negated && matches.test(name)) &&
    !compiled.some(({ negated, matches }) => negated && matches.test(name))
}

/** `*` and `?` are wild, everything else is itself; `[host]:22` means what `host` means. */
function glob(pattern: string): RegExp {
  const plain = /^\[([^\]]+)\]:22$/.exec(pattern)?.[1] ?? pattern
  // Runs of stars become one, or a hostile pattern could make the match take for ever.
  const source = plain
    .toLowerCase()
    .replace(/\*+/g, '*')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`)
}

function bareKey(source: string, line: number, type: string, fields: readonly string[]): DeployError {
  const comment = fields.slice(2).join(' ')
  const called = comment === '' ? '' : ` ("${comment.slice(0, 60)}")`
  return new DeployError(
    'host-key',
    `Line ${line} of ${source} is a bare ${type} public key${called}: a known_hosts line begins with the host that the key belongs to.`,
    {
      remedy:
        "If it is the server's key, put the host in front of it. If it is your own, it belongs in ~/.ssh/authorized_keys on the server instead; `ssh-keyscan HOST`, compared on the server, gives the line wanted here.",
    },
  )
}
