import type { Duplex } from 'node:stream'
import { DeployError } from '../errors.ts'
import type { Phase, Place } from './connectError.ts'
import type { Credentials } from './credentials.ts'
import { describeKey, type HostKey, type HostKeyType, hostKeyTypes, knownHostsLine } from './hostKey.ts'
import { hostKeyError } from './hostKeyError.ts'
import { algorithmsOf, type HostKeyPins, judgeHostKey, keyTypesToAskFor } from './hostKeyPins.ts'
import { HostKeyRefused, login, type SshConnection } from './login.ts'
import type { SshSettings } from './settings.ts'

export interface Attempt {
  readonly signal: AbortSignal
  readonly warn: (text: string) => void
  readonly say: (text: string) => void
  /** Told what begins, so that a time-out can say what it cut short. */
  readonly onPhase: (phase: Phase, place: Place) => void
}

/** Opens a fresh way to a server's port. */
export type Dial = () => Promise<Duplex>

interface Hop {
  readonly dial: Dial
  readonly place: Place
  readonly user: string
  readonly credentials: Credentials
  readonly pins: HostKeyPins
  readonly hostKeyCheck: SshSettings['hostKeyCheck']
}

/** Connects to one server, checks its host key and logs in. Rejects with a DeployError or the signal's reason. */
export async function connectHop(hop: Hop, attempt: Attempt): Promise<SshConnection> {
  const { pins, credentials, place } = hop
  const name = place.input === 'jump-host' ? `the jump host ${pins.name}` : pins.name
  const offered: HostKey[] = []
  for (const types of rounds(hop)) {
    try {
      return await loginOnce(hop, types, attempt)
    } catch (error) {
      if (!(error instanceof HostKeyRefused)) throw error
      const key = error.offered
      if (key !== undefined && !offered.some((other) => other.blob.equals(key.blob))) offered.push(key)
    }
  }
  if (offered.length === 0) {
    throw new DeployError('host-key', `The server at ${name} has no host key of a kind that can be checked.`, {
      remedy:
        'Give it an Ed25519 host key: `ssh-keygen -A` on the server, and `HostKey /etc/ssh/ssh_host_ed25519_key` in sshd_config.',
    })
  }
  const verdicts = offered.map((key) => judgeHostKey(pins, key))
  const verdict = verdicts.includes('revoked') ? 'revoked' : verdicts.includes('unknown') ? 'unknown' : 'mismatch'
  throw hostKeyError(verdict, name, pins, offered, credentials.key?.getPublicSSH())
}

/**
 * A fingerprint does not tell which kind of key it is of. Where only fingerprints are pinned, and the server's preferred key is not
 * the one, the others are asked for in turn.
 */
function rounds({ pins, hostKeyCheck }: Hop): readonly (readonly HostKeyType[])[] {
  const all = keyTypesToAskFor(pins)
  if (hostKeyCheck === 'off' || pins.fingerprints.length === 0) return [all]
  const ecdsa = hostKeyTypes.filter((type) => type.startsWith('ecdsa-'))
  return pins.known.length > 0 ? [all, ['ssh-ed25519'], ecdsa, ['ssh-rsa']] : [['ssh-ed25519'], ecdsa, ['ssh-rsa']]
}

async function loginOnce(hop: Hop, types: readonly HostKeyType[], attempt: Attempt): Promise<SshConnection> {
  const { place, user, credentials, pins, hostKeyCheck } = hop
  attempt.onPhase('looking up', place)
  const socket = await hop.dial()
  let warned = false
  const accepts = (key: HostKey): boolean => {
    if (hostKeyCheck === 'strict') return judgeHostKey(pins, key) === 'accepted'
    if (!warned && judgeHostKey(pins, key) !== 'accepted') {
      attempt.warn(
        `The host key of ${pins.name} was not checked (host-key-check: off): it offered ${describeKey(key)}. Anybody between runner and server could pose as it. Line to pin it: ${knownHostsLine(pins.name, key)}`,
      )
    }
    warned = true
    return true
  }
  return login({ socket, user, place, credentials, algorithms: algorithmsOf(types), accepts, ...attempt })
}
