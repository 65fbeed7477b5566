import { DeployError } from '../errors.ts'
import { describeKey, fingerprint, type HostKey, knownHostsLine } from './hostKey.ts'
import type { HostKeyPins } from './hostKeyPins.ts'

/**
 * Why a server's key was not accepted: what it offered, what was expected, and the line that would pin it.
 * `name` is what the host is called here, `userKey` is the public half of the key that we log in with, to recognise it where it was pinned by mistake.
 */
export function hostKeyError(
  verdict: 'revoked' | 'mismatch' | 'unknown',
  name: string,
  pins: HostKeyPins,
  offered: readonly HostKey[],
  userKey?: Buffer,
): DeployError {
  const shown = offered.map(describeKey).join(' and ') || 'no key that this action can read'
  const pin = offered[0] === undefined ? '' : ` Line to pin it: ${knownHostsLine(pins.name, offered[0])}`
  const check = `on the server, \`ssh-keygen -lf /etc/ssh/ssh_host_${fileOf(offered[0])}_key.pub\` must print the same fingerprint`
  switch (verdict) {
    case 'revoked':
      return new DeployError(
        'host-key',
        `The host key of ${name} is revoked: it offered ${shown}, which ${linesOf(pins.revoked, pins.source)} marks @revoked.`,
        {
          remedy:
            'Do not connect: somebody may hold this key. Give the server a new host key and pin that; only if the mark is a mistake, take the @revoked line out.',
        },
      )
    case 'mismatch':
      return new DeployError(
        'host-key',
        `The host key of ${name} is not the pinned one: it offered ${shown}, but pinned is ${expected(pins)}.${pin}${ownKey(pins, userKey)}`,
        {
          remedy: `Either the server got a new host key, or another machine answers in its place. Compare first: ${check}. If it does, put the line above in the old one's place in \`known-hosts\`, or the fingerprint in \`host-fingerprint\`.`,
        },
      )
    case 'unknown':
      return new DeployError(
        'host-key',
        `The host key of ${name} is not known: it offered ${shown}, and ${pins.source} has no key for ${pins.name}${notes(pins)}.${pin}`,
        {
          remedy: `Compare first: ${check}. If it does, add the line above to \`known-hosts\`, or the fingerprint to \`host-fingerprint\`.`,
        },
      )
  }
}

/** `ssh-keygen`'s name of the file that holds such a key. */
function fileOf(key: HostKey | undefined): string {
  if (key === undefined || key.type === 'ssh-ed25519') return 'ed25519'
  return key.type.startsWith('ecdsa') ? 'ecdsa' : 'rsa'
}

function expected(pins: HostKeyPins): string {
  const known = pins.known.map((entry) => `${describeKey(entry.key)} (${pins.source}, line ${entry.line})`)
  const given = pins.fingerprints.map((pinned) => `${pinned} (the input host-fingerprint)`)
  return [...known, ...given].join(' or ')
}

function linesOf(entries: HostKeyPins['revoked'], source: string): string {
  return `line ${entries.map((entry) => entry.line).join(', ')} of ${source}`
}

function ownKey(pins: HostKeyPins, userKey: Buffer | undefined): string {
  const own = userKey && pins.known.find((entry) => entry.key.blob.equals(userKey))
  if (own === undefined || userKey === undefined) return ''
  return `. The pinned key ${fingerprint(userKey)} is the public half of the key that you log in with, not a host key.`
}

function notes(pins: HostKeyPins): string {
  const authority = pins.authorities[0]
  const broken = pins.unreadable[0]
  if (authority !== undefined)
    return ` (its @cert-authority line ${authority.line} can't be used: this action's SSH library checks no host certificates, so the key itself must be pinned)`
  if (broken !== undefined) return ` (its line ${broken.line} can't be read: ${broken.why})`
  return ''
}
