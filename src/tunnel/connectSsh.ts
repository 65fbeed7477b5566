import type { Place } from './connectError.ts'
import { type Attempt, connectHop, type Dial } from './connectHop.ts'
import { connectTcp } from './connectTcp.ts'
import { type Credentials, findCredentials, findJumpCredentials } from './credentials.ts'
import { dialThrough } from './dialThrough.ts'
import { hostPort, type SshEndpoint, type SshHost } from './endpoint.ts'
import { hostKeyPins } from './hostKeyPins.ts'
import type { SshConnection } from './login.ts'
import { readKnownHosts } from './readKnownHosts.ts'
import type { SshSettings } from './settings.ts'

/**
 * Connects to the endpoint, through the jump hosts if there are any: each is asked for its own host key and logged in to, and only
 * the bytes of the next connection pass through it. Everything that can be wrong with the settings is found before the first byte.
 * What comes back takes the jump hosts' connections with it when it closes.
 */
export async function connectSsh(endpoint: SshEndpoint, ssh: SshSettings, attempt: Attempt): Promise<SshConnection> {
  const { signal } = attempt
  const jumps = ssh.jumps ?? []
  const nearest = jumps[0] ?? endpoint
  attempt.onPhase('credentials', placeOf(nearest, nearest !== endpoint, undefined))
  const credentials = await findCredentials(ssh, signal)
  const jumpCredentials = jumps.length === 0 ? credentials : await findJumpCredentials(ssh, signal)
  const known = readKnownHosts(ssh)

  let under: { readonly connection: SshConnection; readonly host: SshHost } | undefined
  const connect = async (host: SshHost, isJump: boolean, login: Credentials): Promise<SshConnection> => {
    const place = placeOf(host, isJump, under?.host)
    const way = under
    const dial: Dial = () =>
      way === undefined ? connectTcp(host, place, signal) : dialThrough(way.connection.client, way.host, host, signal)
    const pins = hostKeyPins(host.host, host.port, known, ssh.fingerprints)
    const connection = await connectHop(
      { dial, place, user: host.user, credentials: login, pins, hostKeyCheck: ssh.hostKeyCheck },
      attempt,
    )
    if (way !== undefined) connection.socket.once('close', () => hangUp(way.connection))
    return connection
  }
  try {
    for (const jump of jumps) {
      const connection = await connect(jump, true, jumpCredentials)
      under = { connection, host: jump }
    }
    return await connect(endpoint, false, credentials)
  } catch (error) {
    if (under !== undefined) hangUp(under.connection)
    throw error
  }
}

function placeOf(host: SshHost, isJump: boolean, through: SshHost | undefined): Place {
  const name = isJump ? `the jump host ${hostPort(host)}` : hostPort(host)
  return {
    where: through === undefined ? name : `${name} through the jump host ${hostPort(through)}`,
    input: isJump ? 'jump-host' : 'host',
    daemon: 'sshd',
  }
}

/** Ends it at once: whatever it carried is over. */
function hangUp({ client, socket }: SshConnection): void {
  client.end()
  socket.destroy()
}
