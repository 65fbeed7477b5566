import type { Duplex } from 'node:stream'
import ssh2, { type Client, type Prompt } from 'ssh2'
import { messageOf } from '../errors.ts'
import { createAnswers, type Method, nextMethod } from './authentication.ts'
import { handshakeError, type Phase, type Place } from './connectError.ts'
import type { Credentials } from './credentials.ts'
import { type HostKey, type HostKeyAlgorithm, hostKeyOf } from './hostKey.ts'
import { loginError, type Refusal } from './loginError.ts'
import { printable } from './printable.ts'
import { signWithSha512 } from './signWithSha512.ts'

export interface LoginOptions {
  readonly socket: Duplex
  readonly user: string
  readonly place: Place
  readonly credentials: Credentials
  /** Signature algorithms to ask the server's host key in, the preferred one first. */
  readonly algorithms: readonly HostKeyAlgorithm[]
  readonly accepts: (offered: HostKey) => boolean
  readonly onPhase: (phase: Phase, place: Place) => void
  readonly say: (text: string) => void
  readonly signal: AbortSignal
}

export interface SshConnection {
  /** An error that nobody listens to does no harm. */
  readonly client: Client
  /** Under the client: ssh2 can't end a connection whose other side has fallen silent. */
  readonly socket: Duplex
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
  const { socket, user, place, credentials, signal, onPhase } = options
  const client = new ssh2.Client()
  let refused: HostKeyRefused | undefined
  const tried = new Set<Method>()
  let refusal: Refusal = { tried, accepts: undefined }
  const answersOf = createAnswers(credentials.password ?? '', (question) => {
    refusal = { ...refusal, unanswered: question }
  })

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
    const refuse = (cause?: unknown): void => fail(loginError(user, place, credentials, refusal, cause))
    signal.addEventListener('abort', abandon, { once: true })
    client
      .once('handshake', () => onPhase('login', place))
      .on('banner', (text) => {
        const banner = printable(text)
        if (banner !== '') options.say(`Banner of ${place.where}: ${banner}`)
      })
      .once('change password', (prompt) => {
        refusal = { ...refusal, expired: prompt }
        refuse()
      })
      .once('ready', () => {
        signal.removeEventListener('abort', abandon)
        // Between here and the listeners of whoever takes it over, the next packet may be a bad one already.
        client.removeAllListeners().on('error', () => {})
        resolve({ client, socket })
      })
      .once('close', () => fail(handshakeError(new Error('the server closed the connection during the login'), place)))
      .once('error', (error) => {
        if (refused !== undefined) fail(refused)
        else if (/no matching host key format/.test(error.message)) fail(new HostKeyRefused(undefined))
        else if (error.level === 'client-authentication' || /too many authentication failures/i.test(error.message)) {
          refuse(error)
        } else if (error.level === 'agent') {
          refusal = { ...refusal, agentFailure: messageOf(error) }
          refuse(error)
        } else fail(handshakeError(error, place))
      })
    onPhase('handshake', place)
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
      authHandler: (methodsLeft: readonly string[] | null, partialSuccess: boolean | null) => {
        if (methodsLeft !== null) refusal = { ...refusal, accepts: methodsLeft }
        if (partialSuccess === true) refusal = { ...refusal, took: [...tried].at(-1) }
        const method = nextMethod(credentials, methodsLeft, tried)
        if (method === undefined) return false
        tried.add(method)
        const { key, agent, password = '' } = credentials
        switch (method) {
          case 'none':
            return { type: 'none', username: user }
          case 'password':
            return { type: 'password', username: user, password }
          case 'keyboard-interactive':
            return {
              type: 'keyboard-interactive',
              username: user,
              prompt: (
                _name: string,
                _instructions: string,
                _language: string,
                prompts: readonly Prompt[],
                finish: (answers: string[]) => void,
              ) => finish(answersOf(prompts)),
            }
          case 'rsa-sha2-512':
            return key === undefined ? false : { type: 'publickey', username: user, key: signWithSha512(key) }
          case 'publickey':
            if (key !== undefined) return { type: 'publickey', username: user, key }
            return agent === undefined ? false : { type: 'agent', username: user, agent: agent.agent }
        }
      },
    })
  })
}
