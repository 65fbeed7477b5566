// What the composition root hands to this room. Every secret in here stays in here: no error or log line repeats one.
import type { Endpoint, SshHost } from './endpoint.ts'

export interface TunnelSettings {
  readonly endpoint: Endpoint
  /** Needed for an `ssh` endpoint. */
  readonly ssh?: SshSettings | undefined
  /** For a `tcp` endpoint; without it nothing is encrypted. */
  readonly tls?: TlsSettings | undefined
  /** Bounds everything up to a usable tunnel, all hops together. */
  readonly connectTimeoutMs: number
  /** Takes one sentence for the log, e.g. that the host's key was not checked. */
  readonly warn: (text: string) => void
  /** Takes what is worth a line in the log and no warning, such as a server's banner. */
  readonly say?: ((text: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface SshSettings {
  /** The private key's text, however it was pasted. */
  readonly key?: string | undefined
  readonly passphrase?: string | undefined
  /** For the endpoint alone, never for a jump host. */
  readonly password?: string | undefined
  /** Path of an ssh agent's socket, used where there is neither key nor password. */
  readonly agentSocket?: string | undefined
  /** known_hosts lines; given, they replace the file. */
  readonly knownHosts?: string | undefined
  /** Absolute path of the known_hosts file; it need not exist. */
  readonly knownHostsFile: string
  readonly fingerprints: readonly PinnedFingerprint[]
  /** `off` accepts any key, with a warning. */
  readonly hostKeyCheck: 'strict' | 'off'
  /** Passed through in this order. */
  readonly jumps?: readonly SshHost[] | undefined
  /** The private key for all jump hosts; without it `key`. */
  readonly jumpKey?: string | undefined
}

/** A pinned fingerprint. Without `host` it is for whichever host is connected to. */
export interface PinnedFingerprint {
  /** In lower case, IPv6 without its brackets. */
  readonly host?: string | undefined
  /** Absent, it is for every port of the host that has no fingerprint of its own. */
  readonly port?: number | undefined
  /** `SHA256:` and 43 characters, unpadded. */
  readonly fingerprint: string
}

/** PEM texts, however they were pasted. */
export interface TlsSettings {
  readonly ca: string
  readonly cert: string
  readonly key: string
}
