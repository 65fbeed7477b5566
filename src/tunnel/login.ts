import type { Socket } from 'node:net'
import ssh2, { type Client } from 'ssh2'
import { handshakeError, type Phase } from './connectError.ts'
import type { Credentials } from './credentials.ts'
import { type HostKey, type HostKeyAlgorithm, hostKeyOf } from './hostKey.ts'
import { loginError } from './loginError.ts'

export interface LoginOptions {
  readonly socket: Socket
  readonly user: string
  /** `host:port`, for messages. */
  readonly where: string
  readonly credentials: Credentials
  /** Signature algorithms to ask the server's host key in, the preferred one first. */
  readonly algorithms: readonly HostKeyAlgorithm[]
  readonly accepts: (offered: HostKey) => boolean
  readonly onPhase: (phase: Phase) => void
  readonly signal: AbortSignal
}

export interface SshConnection {
  readonly client: Client
  /** Under the client: ssh2 can't end a connection whose other side has fallen silent. */
  readonly socket: Socket
}

/** The server's key was not accepted, or it has none of the kinds asked for (then without `offered`). */
export class HostKeyRefused extends Error {
  override readonly name = 'HostKeyRefused'
  readonly offered: HostKey | undefined

  constructor(offered: HostKey | undefined) {
    super('the host key was refused')
    this.offered = offered
  }
}

/** A silent link is noticed after three of these: 24 s. */
const keepalive = { keepaliveInterval: 8_000, keepaliveCountMax: 2 }

/**
 * Speaks SSH over an open socket, up to the login. Rejects with a DeployError, a HostKeyRefused or the signal's reason, and then
 * leaves nothing open.
 */
export function login(options: LoginOptions): Promise<SshConnection> {
  const { socket, user, where, credentials, signal, onPhase } = options
  const client = new ssh2.Client()
  let refused: HostKeyRefused | undefined
  let tried = false
  let accepts: readonly string[] | undefined
  let partial = false

  return new Promise((resolve, reject) => {
    const abandon = (): void => fail(signal.reason)
    const fail = (reason: unknown): void => {
      signal.removeEventListener('abort', abandon)
      // ssh2 goes on reporting after the first error; nobody is left to hear it.
      client.removeAllListeners().on('error', () => {})
      client.end()
      socket.destroy()
      reject(reason)
    }
    signal.addEventListener('abort', abandon, { once: true })
    client
      .once('handshake', () => onPhase('login'))
      .once('ready', () => {
        signal.removeEventListener('abort', abandon)
        client.removeAllListeners()
        resolve({ client, socket })
      })
      .once('close', () => fail(handshakeError(new Error('the server closed the connection during the login'), where)))
      .once('error', (error) => {
        if (refused !== undefined) fail(refused)
        else if (/no matching host key format/.test(error.message)) fail(new HostKeyRefused(undefined))
        else if (error.level === 'client-authentication' || /too many authentication failures/i.test(error.message)) {
          fail(loginError(user, where, credentials, { accepts, partial }, error))
        } else fail(handshakeError(error, where))
      })
    onPhase('handshake')
    client.connect({
      sock: socket,
      username: user,
      readyTimeout: 0,
      // Also non-OpenSSH servers get asked for a unix socket; they may well have it.
      strictVendor: false,
      ...keepalive,
      algorithms: { serverHostKey: [...options.algorithms] },
      hostVerifier: (blob: Buffer): boolean => {
        const offered = hostKeyOf(blob)
        if (offered !== undefined && options.accepts(offered)) return true
        refused = new HostKeyRefused(offered)
        return false
      },
      // By itself ssh2 would first ask for `none`, a round trip that never succeeds.
      authHandler: (methodsLeft: readonly string[] | null, partialSuccess: boolean | null) => {
        if (tried) {
          accepts = methodsLeft ?? undefined
          partial = partialSuccess === true
          return false
        }
        tried = true
        return credentials.kind === 'key'
          ? { type: 'publickey', username: user, key: credentials.key }
          : { type: 'agent', username: user, agent: credentials.agent }
      },
    })
  })
}
