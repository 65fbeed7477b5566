import type { Agent } from 'node:http'

/** An open way to one engine, until it breaks. A request that found no connection rejects with an error marked `unsent: true`. */
export interface Tunnel {
  readonly agent: Agent
  /** How the engine is reached, for the log: `ssh://deploy@host, unix socket /var/run/docker.sock`. No secrets. */
  readonly description: string
  /** Resolves when everything is closed; may be called twice. */
  close(): Promise<void>
}
