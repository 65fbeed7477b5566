import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import type { Place } from './connectError.ts'
import type { Attempt } from './connectHop.ts'
import { hangUp, throughJump, type Way } from './connectSsh.ts'
import { connectTcp } from './connectTcp.ts'
import { deployErrorOf } from './deployErrorOf.ts'
import { dialThrough } from './dialThrough.ts'
import { directTunnel } from './directTunnel.ts'
import { describeEndpoint, hostPort, type TcpEndpoint } from './endpoint.ts'
import { ping } from './ping.ts'
import type { TlsSettings } from './settings.ts'
import { onLoss } from './sshLoss.ts'
import { plainError, tlsError } from './tlsError.ts'
import { readTls } from './tlsMaterial.ts'
import type { Tunnel } from './tunnel.ts'
import type { TunnelAgent } from './tunnelAgent.ts'

/**
 * A tunnel to an engine that listens on a port itself, with mutual TLS or, without `settings`, in the clear. One question is asked
 * before it is handed out: with TLS 1.3 a server says only after the handshake that it does not take our certificate.
 * @param way the jump host that opens the connections; it is closed with the tunnel, and where none comes about
 */
export async function openTcpTunnel(
  endpoint: TcpEndpoint,
  settings: TlsSettings | undefined,
  way: Way | undefined,
  { signal, onPhase }: Attempt,
): Promise<Tunnel> {
  const where = throughJump(describeEndpoint(endpoint), way?.host)
  const place: Place = { where, input: 'host', daemon: 'the Docker engine' }
  let material: TlsSettings | undefined
  let lost: Error | undefined
  const connect = async (until: AbortSignal): Promise<Duplex> => {
    if (lost !== undefined) throw lost
    const socket = await (way === undefined
      ? connectTcp(endpoint, place, until)
      : dialThrough(way.connection.client, way.host, endpoint, until))
    if (material === undefined) return quiet(socket)
    if (until === signal) onPhase('tls', place)
    return secured(socket, endpoint, material, until)
  }
  let tunnel: ReturnType<typeof directTunnel> | undefined
  try {
    material = settings && readTls(settings, Date.now())
    onPhase('looking up', place)
    const first = await connect(signal)
    onPhase('engine', place)
    const description = `${place.where}${material === undefined ? ', unencrypted' : ' with TLS'}`
    const opened = directTunnel(description, first, () => connect(AbortSignal.timeout(REDIAL_TIMEOUT)))
    tunnel = opened
    if (way !== undefined) {
      onLoss(way.connection, hostPort(way.host), (error) => {
        lost = error
        opened.agent.closeAll(error)
      })
    }
    await prove(opened.agent, place, material !== undefined, signal)
    const close = async (): Promise<void> => {
      await opened.close()
      if (way !== undefined) hangUp(way.connection)
    }
    return { ...opened, close }
  } catch (error) {
    await tunnel?.close()
    if (way !== undefined) hangUp(way.connection)
    if (signal.aborted) throw signal.reason
    throw deployErrorOf(error) ?? (material === undefined ? plainError(error, place) : tlsError(error, endpoint, place))
  }
}

/** For connections after the first (ms): the engine was reached before, so nothing takes long. */
const REDIAL_TIMEOUT = 30_000

/** A socket waiting in the pool has nobody else to hear of its end. */
function quiet(socket: Duplex): Duplex {
  return socket.on('error', () => {})
}

/** Speaks TLS over an open connection. Rejects with node's error or the signal's reason. */
function secured(
  socket: Duplex,
  { host }: TcpEndpoint,
  { ca, cert, key }: TlsSettings,
  signal: AbortSignal,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => {
      socket.destroy()
      reject(signal.reason)
    }
    signal.addEventListener('abort', abandon, { once: true })
    // Said out loud, or NODE_TLS_REJECT_UNAUTHORIZED on the runner would switch the check off.
    const secure = tls.connect({ socket, host, ca, cert, key, minVersion: 'TLSv1.2', rejectUnauthorized: true })
    secure.once('secureConnect', () => {
      signal.removeEventListener('abort', abandon)
      resolve(quiet(secure))
    })
    secure.once('error', (error) => {
      signal.removeEventListener('abort', abandon)
      socket.destroy()
      reject(error)
    })
  })
}

async function prove(agent: TunnelAgent, place: Place, encrypted: boolean, signal: AbortSignal): Promise<void> {
  const status = await ping(agent, signal)
  // What Go's server answers to plain HTTP on a port with TLS.
  if (!encrypted && status === 400) throw plainError(new Error('wants TLS'), place)
}
