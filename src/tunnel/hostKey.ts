import crypto from 'node:crypto'

/** A server's public key: the blob as it goes over the wire, which begins with its own type. */
export interface HostKey {
  /** `ssh-ed25519`, `ecdsa-sha2-nistp256`, `ssh-rsa`, … */
  readonly type: string
  readonly blob: Buffer
}

/** Reads the type out of a key blob (RFC 4253, section 6.6); undefined where it is no key. */
export function hostKeyOf(blob: Buffer): HostKey | undefined {
  if (blob.length < 8) return undefined
  const length = blob.readUInt32BE(0)
  if (length === 0 || length > 64 || blob.length < 4 + length + 4) return undefined
  const type = blob.toString('latin1', 4, 4 + length)
  return /^[a-z0-9@.-]+$/.test(type) ? { type, blob } : undefined
}

/** `SHA256:…` without padding, as `ssh-keygen -l` prints it. */
export function fingerprint(blob: Buffer): string {
  return `SHA256:${crypto.createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
}

/** `ED25519 SHA256:…`, for messages. */
export function describeKey({ type, blob }: HostKey): string {
  const word = type.startsWith('ecdsa-') ? 'ECDSA' : type.replace(/^ssh-/, '').toUpperCase()
  return `${word} ${fingerprint(blob)}`
}

/** The line to put into known_hosts for this key. */
export function knownHostsLine(name: string, { type, blob }: HostKey): string {
  return `${name} ${type} ${blob.toString('base64')}`
}

/** Signature algorithms of each kind of key, the ones to prefer first; ssh2 speaks these. */
export const hostKeyAlgorithms = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'],
} as const

export type HostKeyType = keyof typeof hostKeyAlgorithms
export type HostKeyAlgorithm = (typeof hostKeyAlgorithms)[HostKeyType][number]

export const hostKeyTypes = Object.keys(hostKeyAlgorithms) as readonly HostKeyType[]
