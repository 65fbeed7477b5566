import { DeployError } from '../errors.ts'
import type { Method } from './authentication.ts'
import type { Place } from './connectError.ts'
import type { Credentials } from './credentials.ts'
import { fingerprint } from './hostKey.ts'
import { printable } from './printable.ts'

/** What was tried, and what the server said while it refused us. */
export interface Refusal {
  readonly tried: ReadonlySet<Method>
  /** The methods that it would go on with; undefined where it never said. */
  readonly accepts: readonly string[] | undefined
  /** It took this, but wants a second factor. */
  readonly took?: Method | undefined
  /** A question of keyboard-interactive that the password does not answer. */
  readonly unanswered?: string
  /** The password was right, and has to be changed: the server's words. */
  readonly expired?: string
  readonly agentFailure?: string
}

type Reason = readonly [why: string, remedy: string]

/** A login that the server refused. */
export function loginError(
  user: string,
  { where, input }: Place,
  credentials: Credentials,
  refusal: Refusal,
  cause: unknown,
): DeployError {
  const [why, remedy] =
    passwordTrouble(refusal) ??
    methodMissing(input, credentials, refusal) ??
    refusedAll(user, input, credentials, refusal)
  return new DeployError('authentication', `Could not log in to ${where} as ${user}: ${why}.`, { cause, remedy })
}

function passwordTrouble({ expired, unanswered, agentFailure }: Refusal): Reason | undefined {
  if (agentFailure !== undefined) {
    return [
      `the ssh agent failed (${printable(agentFailure)})`,
      'Give the private key in `ssh-key`, or start the agent anew in an earlier step.',
    ]
  }
  if (expired !== undefined) {
    return [
      `the password has expired and must be changed first (${printable(expired)})`,
      'Change it on the server, or log in with a key (`ssh-key`), which does not expire.',
    ]
  }
  if (unanswered !== undefined) {
    return [
      `the server asks for more than the password: "${printable(unanswered)}"`,
      'Nobody is there to answer it: let this user in with a key alone (`ssh-key`).',
    ]
  }
  return undefined
}

function methodMissing(
  input: Place['input'],
  { key, agent, password }: Credentials,
  refusal: Refusal,
): Reason | undefined {
  const { accepts, took, tried } = refusal
  const tookKey = took === 'publickey' || took === 'rsa-sha2-512'
  if (accepts === undefined) return undefined
  const list = accepts.join(', ') || 'nothing at all'
  const takesPassword = accepts.includes('password') || accepts.includes('keyboard-interactive')
  const orPassword =
    takesPassword && password === undefined && input === 'host' ? ', or give the password in `ssh-password`' : ''
  if (tookKey && (tried.has('password') || tried.has('keyboard-interactive'))) {
    return ['the server took the key, but refused the password', 'Check the password in `ssh-password`.']
  }
  if (took !== undefined) {
    return [
      `the server took the ${tookKey ? 'key' : 'password'}, but wants ${list} as well`,
      `Let this user in with a key alone (AuthenticationMethods publickey in sshd_config)${orPassword}.`,
    ]
  }
  if (password === undefined && !accepts.includes('publickey')) {
    return [
      `the server accepts no keys, only ${list}`,
      `Allow keys for this user on the server (PubkeyAuthentication yes in sshd_config)${orPassword}.`,
    ]
  }
  if (key === undefined && agent === undefined && !takesPassword) {
    return [
      `the server accepts no passwords, only ${list}`,
      'Give a private key in `ssh-key`, or allow passwords on the server (PasswordAuthentication yes in sshd_config).',
    ]
  }
  return undefined
}

function refusedAll(
  user: string,
  input: Place['input'],
  { key, keyInput, agent, password }: Credentials,
  { accepts, tried }: Refusal,
): Reason {
  const then = accepts === undefined || accepts.length === 0 ? '' : `; it accepts ${accepts.join(', ')}`
  if (agent !== undefined) {
    return [
      `the server refused all ${agent.keys} keys of the ssh agent${then}`,
      `Add the agent's key to ~${user}/.ssh/authorized_keys on the server, or give the right one in \`${keyInput}\`.`,
    ]
  }
  if (key === undefined) {
    return [
      `the server refused the password${then}`,
      `Check the user in \`${input}\` and the password in \`ssh-password\`; the server's sshd log says which of them it is.`,
    ]
  }
  const both = password !== undefined && (tried.has('password') || tried.has('keyboard-interactive'))
  return [
    `the server refused the key ${key.type} ${fingerprint(key.getPublicSSH())}${both ? ', and the password too' : ''}${then}`,
    `Check the user in \`${input}\`, and that ~${user}/.ssh/authorized_keys on the server has the line \`${publicLine(key)}\`; sshd also ignores that file if others may write to it${key.type === 'ssh-rsa' ? ', and RSA keys where PubkeyAcceptedAlgorithms leaves them out' : ''}.`,
  ]
}

function publicLine(key: { readonly type: string; getPublicSSH(): Buffer }): string {
  return `${key.type} ${key.getPublicSSH().toString('base64')}`
}
