import ssh2, { type BaseAgent, type ParsedKey } from 'ssh2'
import { DeployError, messageOf } from '../errors.ts'
import { type KeyInput, readPrivateKey } from './privateKey.ts'
import type { SshSettings } from './settings.ts'

/** What we log in to one server with; at least one of the three. */
export interface Credentials {
  readonly key?: ParsedKey | undefined
  /** The input that `key` came from. */
  readonly keyInput: KeyInput
  readonly agent?: { readonly agent: BaseAgent; readonly keys: number } | undefined
  readonly password?: string | undefined
}

/**
 * Finds the endpoint's credentials before anything is sent: key and password, or else the agent. Throws a DeployError with code
 * `authentication` where there are none, or the signal's reason.
 */
export async function findCredentials(ssh: SshSettings, signal: AbortSignal): Promise<Credentials> {
  const key = given(ssh.key) ? readPrivateKey(ssh.key, ssh.passphrase) : undefined
  const password = ssh.password || undefined
  const agent = key === undefined && password === undefined ? await askAgent(ssh, 'ssh-key', signal) : undefined
  return { key, keyInput: 'ssh-key', password, agent }
}

/** The same for the jump hosts, which never see the password. */
export async function findJumpCredentials(ssh: SshSettings, signal: AbortSignal): Promise<Credentials> {
  const keyInput = given(ssh.jumpKey) ? 'jump-ssh-key' : 'ssh-key'
  const text = given(ssh.jumpKey) ? ssh.jumpKey : ssh.key
  const key = given(text) ? readPrivateKey(text, ssh.passphrase, keyInput) : undefined
  return { key, keyInput, agent: key === undefined ? await askAgent(ssh, 'jump-ssh-key', signal) : undefined }
}

function given(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

async function askAgent(
  ssh: SshSettings,
  input: KeyInput,
  signal: AbortSignal,
): Promise<NonNullable<Credentials['agent']>> {
  if (!ssh.agentSocket) {
    throw new DeployError(
      'authentication',
      `There is nothing to log in with: no \`${input}\`, and no ssh agent (SSH_AUTH_SOCK is not set).`,
      {
        remedy: `Store the private key as a secret and give it in \`${input}\`. A secret that does not exist reads as empty, and empty counts as none.`,
      },
    )
  }
  const agent = ssh2.createAgent(ssh.agentSocket)
  const keys = await new Promise<number>((resolve, reject) => {
    // An agent may accept a question and never answer it.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    agent.getIdentities((error, identities) => {
      if (error) reject(agentError(input, `does not answer (${messageOf(error)})`, error))
      else resolve(identities?.length ?? 0)
    })
  })
  if (keys === 0) throw agentError(input, 'holds no key')
  return { agent, keys }
}

function agentError(input: KeyInput, why: string, cause?: unknown): DeployError {
  return new DeployError('authentication', `No \`${input}\` is given, and the ssh agent at SSH_AUTH_SOCK ${why}.`, {
    cause,
    remedy: `Give the private key in \`${input}\`, or start the agent and add a key to it in an earlier step.`,
  })
}
