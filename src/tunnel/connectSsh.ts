import { DeployError } from '../errors.ts'
import type { Phase } from './connectError.ts'
import { connectTcp } from './connectTcp.ts'
import { type Credentials, findCredentials } from './credentials.ts'
import type { SshEndpoint } from './endpoint.ts'
import { parseFingerprints } from './fingerprints.ts'
import { describeKey, type HostKey, type HostKeyType, hostKeyTypes, knownHostsLine } from './hostKey.ts'
import { hostKeyError } from './hostKeyError.ts'
import { algorithmsOf, type HostKeyPins, hostKeyPins, judgeHostKey, keyTypesToAskFor } from './hostKeyPins.ts'
import { HostKeyRefused, login, type SshConnection } from './login.ts'
import { readKnownHosts } from './readKnownHosts.ts'
import type { SshSettings } from './settings.ts'

export interface Attempt {
  readonly signal: AbortSignal
  readonly warn: (text: string) => void
  /** Told what begins, so that a time-out can say what it cut short. */
  readonly onPhase: (phase: Phase) => void
}

/** Connects, checks the host's key and logs in. Everything that can be wrong with the settings is found before the first byte. */
export async function connectSsh(endpoint: SshEndpoint, ssh: SshSettings, attempt: Attempt): Promise<SshConnection> {
  attempt.onPhase('credentials')
  const credentials = await findCredentials(ssh, attempt.signal)
  const pins = hostKeyPins(endpoint.host, endpoint.port, readKnownHosts(ssh), parseFingerprints(ssh.fingerprints))
  const offered: HostKey[] = []
  for (const types of rounds(pins, ssh)) {
    try {
      return await loginOnce(endpoint, ssh, credentials, pins, types, attempt)
    } catch (error) {
      if (!(error instanceof HostKeyRefused)) throw error
      const key = error.offered
      if (key !== undefined && !offered.some((other) => other.blob.equals(key.blob))) offered.push(key)
    }
  }
  if (offered.length === 0) {
    throw new DeployError('host-key', `The server at ${pins.name} has no host key of a kind that can be checked.`, {
      remedy:
        'Give it an Ed25519 host key: `ssh-keygen -A` on the server, and `HostKey /etc/ssh/ssh_host_ed25519_key` in sshd_config.',
    })
  }
  const verdicts = offered.map((key) => judgeHostKey(pins, key))
  const verdict = verdicts.includes('revoked') ? 'revoked' : verdicts.includes('unknown') ? 'unknown' : 'mismatch'
  throw hostKeyError(verdict, pins, offered, credentials.kind === 'key' ? credentials.key.getPublicSSH() : undefined)
}

/**
 * A fingerprint does not tell which kind of key it is of. Where only fingerprints are pinned, and the server's preferred key is not
 * the one, the others are asked for in turn.
 */
function rounds(pins: HostKeyPins, ssh: SshSettings): readonly (readonly HostKeyType[])[] {
  const all = keyTypesToAskFor(pins)
  if (ssh.hostKeyCheck === 'off' || pins.fingerprints.length === 0) return [all]
  const ecdsa = hostKeyTypes.filter((type) => type.startsWith('ecdsa-'))
  return pins.known.length > 0 ? [all, ['ssh-ed25519'], ecdsa, ['ssh-rsa']] : [['ssh-ed25519'], ecdsa, ['ssh-rsa']]
}

async function loginOnce(
  endpoint: SshEndpoint,
  ssh: SshSettings,
  credentials: Credentials,
  pins: HostKeyPins,
  types: readonly HostKeyType[],
  attempt: Attempt,
): Promise<SshConnection> {
  const { host, port, user } = endpoint
  attempt.onPhase('looking up')
  const socket = await connectTcp(host, port, attempt.signal)
  let warned = false
  const accepts = (key: HostKey): boolean => {
    if (ssh.hostKeyCheck === 'strict') return judgeHostKey(pins, key) === 'accepted'
    if (!warned && judgeHostKey(pins, key) !== 'accepted') {
      attempt.warn(
        `The host key of ${pins.name} was not checked (host-key-check: off): it offered ${describeKey(key)}. Anybody between runner and server could pose as it. Line to pin it: ${knownHostsLine(pins.name, key)}`,
      )
    }
    warned = true
    return true
  }
  const where = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  return login({ socket, user, where, credentials, algorithms: algorithmsOf(types), accepts, ...attempt })
}
