/** A node's engine and sshd. */
export interface BedNode {
  /** Path of the engine's unix socket, usable from outside the bed. */
  readonly socket: string
  /** The node's address, from 10.77.N.11 on. */
  readonly host: string
  readonly sshPort: number
  /** A user in the docker group. Also there: `root`, and `nodocker` outside of the group; one key opens all three. */
  readonly user: string
}

/** How to reach a bed; plain JSON. The fields of the node are those of the manager. */
export interface BedDescription extends BedNode {
  readonly name: string
  /** The private key, an OpenSSH ed25519 file without passphrase. */
  readonly keyFile: string
  /** known_hosts with a line for each node. */
  readonly knownHostsFile: string
  /** The bed's folder; manager/dockerd.log and manager/sshd.log lie in it. */
  readonly dir: string
  readonly worker?: BedNode
  /** Beside the first one, as many as `managers` says. */
  readonly otherManagers?: readonly BedNode[]
}

export interface Bed extends BedDescription {
  /** Runs a command inside the manager, as root; never rejects because of its exit code. */
  shell(
    args: readonly string[],
    options?: { readonly input?: string },
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
  /** Removes the bed and everything it started. Idempotent. */
  stop(): Promise<void>
}

/** What a bed needs of apt on a bare machine. */
export declare const bedPackages: readonly string[]

/**
 * Starts a swarm of one manager (or of as many as `managers` says), and one worker with `withWorker`. Takes 3 to 6 s once the packages are there.
 * Unless `keep` is set, the bed dies with this process, however it ends.
 */
export declare function startBed(options: {
  /** Up to 31 of a-z, 0-9 and -; beds of different names run side by side. */
  readonly name: string
  readonly withWorker?: boolean
  readonly managers?: number
  readonly keep?: boolean
  readonly log?: (line: string) => void
}): Promise<Bed>

/** A bed that somebody else started and will stop, from its JSON. */
export declare function attachBed(description: BedDescription): Bed
