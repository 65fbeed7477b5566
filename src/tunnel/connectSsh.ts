import type { Place } from './connectError.ts'
import { type Attempt, connectHop, type Dial } from './connectHop.ts'
import { connectTcp } from './connectTcp.ts'
import { findCredentials, findJumpCredentials } from './credentials.ts'
import { dialThrough } from './dialThrough.ts'
import { hostPort, type SshEndpoint, type SshHost } from './endpoint.ts'
import { hostKeyPins } from './hostKeyPins.ts'
import type { SshConnection } from './login.ts'
import { readKnownHosts } from './readKnownHosts.ts'
import type { SshSettings } from './settings.ts'

/** A jump host that is logged in to, for connections beyond it. */
export interface Way {
  readonly host: SshHost
  /** Takes the connections to the jump hosts before it along when it closes. */
  readonly connection: SshConnection
}

/**
 * Connects to the endpoint, through the jump hosts if there are any. Everything that can be wrong with the settings is found before the
 * first byte. What comes back takes the jump hosts' connections with it when it closes.
 */
export async function connectSsh(endpoint: SshEndpoint, ssh: SshSettings, attempt: Attempt): Promise<SshConnection> {
  const [nearest] = ssh.jumps ?? []
  attempt.onPhase('credentials', placeOf(nearest ?? endpoint, nearest !== undefined, undefined))
  const credentials = await findCredentials(ssh, attempt.signal)
  const way = await connectJumps(ssh, attempt)
  try {
    const { host, port, user } = endpoint
    const place = placeOf(endpoint, false, way?.host)
    const pins = hostKeyPins(host, port, readKnownHosts(ssh), ssh.fingerprints)
    const { hostKeyCheck } = ssh
    const hop = { dial: dialOf(way, endpoint, place, attempt), place, user, credentials, pins, hostKeyCheck }
    return carriedBy(way, await connectHop(hop, attempt))
  } catch (error) {
    if (way !== undefined) hangUp(way.connection)
    throw error
  }
}

/**
 * Connects to the jump hosts in their order: each is asked for its own host key and logged in to, and only the bytes of the next
 * connection pass through it. Undefined where there is none.
 */
export async function connectJumps(ssh: SshSettings, attempt: Attempt): Promise<Way | undefined> {
  const [nearest, ...others] = ssh.jumps ?? []
  if (nearest === undefined) return undefined
  attempt.onPhase('credentials', placeOf(nearest, true, undefined))
  const credentials = await findJumpCredentials(ssh, attempt.signal)
  const known = readKnownHosts(ssh)
  let way: Way | undefined
  try {
    for (const host of [nearest, ...others]) {
      const place = placeOf(host, true, way?.host)
      const pins = hostKeyPins(host.host, host.port, known, ssh.fingerprints)
      const dial = dialOf(way, host, place, attempt)
      const hop = { dial, place, user: host.user, credentials, pins, hostKeyCheck: ssh.hostKeyCheck }
      way = { host, connection: carriedBy(way, await connectHop(hop, attempt)) }
    }
    return way
  } catch (error) {
    if (way !== undefined) hangUp(way.connection)
    throw error
  }
}

/** Ends it at once: whatever it carried is over. */
export function hangUp({ client, socket }: SshConnection): void {
  client.end()
  socket.destroy()
}

function dialOf(way: Way | undefined, host: SshHost, place: Place, { signal }: Attempt): Dial {
  return () =>
    way === undefined ? connectTcp(host, place, signal) : dialThrough(way.connection.client, way.host, host, signal)
}

function carriedBy(way: Way | undefined, connection: SshConnection): SshConnection {
  if (way !== undefined) connection.socket.once('close', () => hangUp(way.connection))
  return connection
}

function placeOf(host: SshHost, isJump: boolean, through: SshHost | undefined): Place {
  const name = isJump ? `the jump host ${hostPort(host)}` : hostPort(host)
  return {
    where: throughJump(name, through),
    input: isJump ? 'jump-host' : 'host',
    daemon: 'sshd',
  }
}

/** `name through the jump host bastion:22`. */
export function throughJump(name: string, jump: SshHost | undefined): string {
  return jump === undefined ? name : `${name} through the jump host ${hostPort(jump)}`
}
