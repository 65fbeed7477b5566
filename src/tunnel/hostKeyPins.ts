import { hostName } from './endpoint.ts'
import {
  fingerprint,
  type HostKey,
  type HostKeyAlgorithm,
  type HostKeyType,
  hostKeyAlgorithms,
  hostKeyTypes,
} from './hostKey.ts'
import type { KnownHost, KnownHosts } from './knownHosts.ts'
import type { PinnedFingerprint } from './settings.ts'

/** Everything that is known of one host's keys before the first byte is sent to it. */
export interface HostKeyPins {
  readonly host: string
  readonly port: number
  /** As known_hosts names it: `host` or `[host]:port`. */
  readonly name: string
  /** Where known_hosts lines come from, for messages. */
  readonly source: string
  readonly known: readonly KnownHost[]
  readonly revoked: readonly KnownHost[]
  /** Lines for certificate authorities. ssh2 knows no host certificates (lib/protocol/constants.js), so they pin nothing. */
  readonly authorities: readonly KnownHost[]
  readonly fingerprints: readonly string[]
  readonly unreadable: KnownHosts['unreadable']
}

/**
 * Collects what known_hosts and the fingerprints say of a host. As with OpenSSH, a line for the bare host counts for another port
 * too where there is none for `[host]:port`; the same goes for fingerprints.
 */
export function hostKeyPins(
  host: string,
  port: number,
  hosts: KnownHosts,
  fingerprints: readonly PinnedFingerprint[],
): HostKeyPins {
  const name = hostName(host, port)
  const about = (marker: KnownHost['marker'], called: string): readonly KnownHost[] =>
    hosts.entries.filter((entry) => entry.marker === marker && entry.matches(called))
  const exact = about(undefined, name)
  const bare = host.toLowerCase()
  return {
    host,
    port,
    name,
    source: hosts.source,
    known: exact.length > 0 ? exact : about(undefined, bare),
    revoked: [...new Set([...about('revoked', name), ...about('revoked', bare)])],
    authorities: about('cert-authority', name),
    fingerprints: [...fingerprints.filter((pin) => pin.host === undefined), ...ofHost(bare, port, fingerprints)].map(
      (pin) => pin.fingerprint,
    ),
    unreadable: hosts.unreadable,
  }
}

function ofHost(host: string, port: number, fingerprints: readonly PinnedFingerprint[]): readonly PinnedFingerprint[] {
  const named = fingerprints.filter((pin) => pin.host === host)
  const exact = named.filter((pin) => (pin.port ?? 22) === port)
  return exact.length > 0 ? exact : named.filter((pin) => pin.port === undefined)
}

export type HostKeyVerdict = 'accepted' | 'revoked' | 'mismatch' | 'unknown'

/** A pure function of both, for ssh2 asks again whenever it renews the session keys. */
export function judgeHostKey(pins: HostKeyPins, offered: HostKey): HostKeyVerdict {
  const same = (entry: KnownHost): boolean => entry.key.blob.equals(offered.blob)
  if (pins.revoked.some(same)) return 'revoked'
  if (pins.known.some(same) || pins.fingerprints.includes(fingerprint(offered.blob))) return 'accepted'
  return pins.known.length > 0 || pins.fingerprints.length > 0 ? 'mismatch' : 'unknown'
}

/**
 * The kinds of key to ask the server for, the verifiable ones first. The rest stays on the list: a server that has none of them
 * should get to show what it has, so that the message can say it.
 */
export function keyTypesToAskFor(pins: HostKeyPins): readonly HostKeyType[] {
  const pinned = new Set<string>(pins.known.map((entry) => entry.key.type))
  return [...hostKeyTypes.filter((type) => pinned.has(type)), ...hostKeyTypes.filter((type) => !pinned.has(type))]
}

export function algorithmsOf(types: readonly HostKeyType[]): HostKeyAlgorithm[] {
  return types.flatMap((type) => [...hostKeyAlgorithms[type]])
}
