import { DeployError } from '../errors.ts'
import type { Credentials } from './credentials.ts'
import { fingerprint } from './hostKey.ts'

/** What the server said while it refused us. */
export interface Refusal {
  /** The methods that it would go on with; undefined where it never said. */
  readonly accepts: readonly string[] | undefined
  /** It took the key but wants a second factor. */
  readonly partial: boolean
}

/** A login that the server refused. */
export function loginError(
  user: string,
  where: string,
  credentials: Credentials,
  refusal: Refusal,
  cause: unknown,
): DeployError {
  const { accepts, partial } = refusal
  const list = accepts?.join(', ') ?? ''
  const fail = (why: string, remedy: string): DeployError =>
    new DeployError('authentication', `Could not log in to ${where} as ${user}: ${why}.`, { cause, remedy })
  if (partial) {
    return fail(
      `the server took the key, but wants ${list} as well`,
      'Let this user in with a key alone (AuthenticationMethods publickey in sshd_config).',
    )
  }
  if (accepts !== undefined && !accepts.includes('publickey')) {
    return fail(
      `the server accepts no keys, only ${list || 'nothing at all'}`,
      'Allow keys for this user on the server (PubkeyAuthentication yes in sshd_config).',
    )
  }
  if (credentials.kind === 'agent') {
    return fail(
      `the server refused all ${credentials.keys} keys of the ssh agent`,
      `Add the agent's key to ~${user}/.ssh/authorized_keys on the server, or give the right one in \`ssh-key\`.`,
    )
  }
  const { key } = credentials
  return fail(
    `the server refused the key ${key.type} ${fingerprint(key.getPublicSSH())}${list === '' ? '' : `; it accepts ${list}`}`,
    `Check the user in \`host\`, and that ~${user}/.ssh/authorized_keys on the server has the line \`${publicLine(key)}\`; sshd also ignores that file if others may write to it.`,
  )
}

function publicLine(key: { readonly type: string; getPublicSSH(): Buffer }): string {
  return `${key.type} ${key.getPublicSSH().toString('base64')}`
}
