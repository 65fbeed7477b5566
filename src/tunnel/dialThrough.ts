import type { Duplex } from 'node:stream'
import type { Client } from 'ssh2'
import { DeployError } from '../errors.ts'
import { isRefusal, refusalWords } from './channelRefusal.ts'
import { ChannelSocket } from './channelSocket.ts'
import { hostPort, type SshHost } from './endpoint.ts'

interface Address {
  readonly host: string
  readonly port: number
}

/** Has a jump host open a connection to the next one. Rejects with a DeployError, or with the signal's reason. */
export function dialThrough(client: Client, jump: SshHost, next: Address, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abandon = (): void => reject(signal.reason)
    signal.addEventListener('abort', abandon, { once: true })
    // The origin's address, which SSH wants to know and nobody uses.
    client.forwardOut('127.0.0.1', 0, next.host, next.port, (error, channel) => {
      signal.removeEventListener('abort', abandon)
      if (error !== undefined) reject(refused(jump, next, error))
      else if (signal.aborted) channel.close()
      else resolve(new ChannelSocket(channel))
    })
  })
}

/** SSH_OPEN_CONNECT_FAILED (RFC 4254, section 5.1); the other reasons mean that the jump host did not even try. */
const CONNECT_FAILED = 2

function refused(jump: SshHost, next: Address, error: Error): DeployError {
  const said = refusalWords(error)
  const what = `The jump host ${hostPort(jump)} did not open a connection to ${hostPort(next)}`
  if (isRefusal(error) && error.reason === CONNECT_FAILED) {
    return new DeployError('connection', `${what}: ${said}.`, {
      cause: error,
      remedy: `Check the address and port of ${hostPort(next)}: the name is looked up, and the connection made, by ${jump.host}. Try \`ssh ${jump.user}@${jump.host} nc -z ${next.host} ${next.port}\` by hand.`,
    })
  }
  return new DeployError('connection', `${what}: it does not forward for ${jump.user} (${said}).`, {
    cause: error,
    remedy: `Allow it there: \`AllowTcpForwarding yes\` in sshd_config, no \`PermitOpen\` that leaves ${hostPort(next)} out, and \`port-forwarding\` behind a \`restrict\` in authorized_keys.`,
  })
}
