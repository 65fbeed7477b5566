// What the composition root hands to this room. Every secret in here stays in here: no error or log line repeats one.
import type { Endpoint } from './endpoint.ts'

export interface TunnelSettings {
  readonly endpoint: Endpoint
  /** Needed for an `ssh` endpoint. */
  readonly ssh?: SshSettings | undefined
  /** Bounds everything up to a usable tunnel. */
  readonly connectTimeoutMs: number
  /** Takes one sentence for the log, e.g. that the host's key was not checked. */
  readonly warn: (text: string) => void
  readonly signal?: AbortSignal | undefined
}

export interface SshSettings {
  /** The private key's text, however it was pasted. */
  readonly key?: string | undefined
  readonly passphrase?: string | undefined
  /** Path of an ssh agent's socket, used where there is no key. */
  readonly agentSocket?: string | undefined
  /** known_hosts lines; given, they replace the file. */
  readonly knownHosts?: string | undefined
  /** Absolute path of the known_hosts file; it need not exist. */
  readonly knownHostsFile: string
  /** `host[:port] SHA256:…` lines, or bare `SHA256:…` ones. */
  readonly fingerprints: readonly string[]
  /** `off` accepts any key, with a warning. */
  readonly hostKeyCheck: 'strict' | 'off'
}
