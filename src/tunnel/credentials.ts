import ssh2, { type BaseAgent, type ParsedKey } from 'ssh2'
import { DeployError, messageOf } from '../errors.ts'
import { readPrivateKey } from './privateKey.ts'
import type { SshSettings } from './settings.ts'

/** What we log in with. Passwords will be a third kind. */
export type Credentials =
  | { readonly kind: 'key'; readonly key: ParsedKey }
  | { readonly kind: 'agent'; readonly agent: BaseAgent; readonly keys: number }

/** Finds the credentials before anything is sent; throws a DeployError with code `authentication` where there are none, or the signal's reason. */
export async function findCredentials(ssh: SshSettings, signal: AbortSignal): Promise<Credentials> {
  if (ssh.key !== undefined && ssh.key.trim() !== '') {
    return { kind: 'key', key: readPrivateKey(ssh.key, ssh.passphrase) }
  }
  if (!ssh.agentSocket) {
    throw new DeployError(
      'authentication',
      'There is nothing to log in with: no `ssh-key`, and no ssh agent (SSH_AUTH_SOCK is not set).',
      {
        remedy:
          'Store the private key as a secret and give it in `ssh-key`. A secret that does not exist reads as empty, and empty counts as none.',
      },
    )
  }
  const agent = ssh2.createAgent(ssh.agentSocket)
  const keys = await new Promise<number>((resolve, reject) => {
    // An agent may accept a question and never answer it.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    agent.getIdentities((error, identities) => {
      if (error) reject(agentError(`does not answer (${messageOf(error)})`, error))
      else resolve(identities?.length ?? 0)
    })
  })
  if (keys === 0) throw agentError('holds no key')
  return { kind: 'agent', agent, keys }
}

function agentError(why: string, cause?: unknown): DeployError {
  return new DeployError('authentication', `No \`ssh-key\` is given, and the ssh agent at SSH_AUTH_SOCK ${why}.`, {
    cause,
    remedy: 'Give the private key in `ssh-key`, or start the agent and add a key to it in an earlier step.',
  })
}
