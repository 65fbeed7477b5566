import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import type { Place } from './connectError.ts'
import type { Attempt } from './connectHop.ts'
import { connectTcp } from './connectTcp.ts'
import { deployErrorOf } from './deployErrorOf.ts'
import { directTunnel } from './directTunnel.ts'
import { describeEndpoint, type TcpEndpoint } from './endpoint.ts'
import { ping } from './ping.ts'
import type { TlsSettings } from './settings.ts'
import { plainError, tlsError } from './tlsError.ts'
import { readTls } from './tlsMaterial.ts'
import type { Tunnel } from './tunnel.ts'
import type { TunnelAgent } from './tunnelAgent.ts'

/**
 * A tunnel to an engine that listens on a port itself, with mutual TLS or, without `settings`, in the clear. One question is asked
 * before it is handed out: with TLS 1.3 a server says only after the handshake that it does not take our certificate.
 */
export async function openTcpTunnel(
  endpoint: TcpEndpoint,
  settings: TlsSettings | undefined,
  { signal, onPhase }: Attempt,
): Promise<Tunnel> {
  const place: Place = { where: describeEndpoint(endpoint), input: 'host', daemon: 'the Docker engine' }
  const material = settings && readTls(settings, Date.now())
  onPhase('looking up', place)
  const socket = await connectTcp(endpoint, place, signal)
  const dial = async (): Promise<Duplex> => {
    const fresh = await connectTcp(endpoint, place, AbortSignal.timeout(REDIAL_TIMEOUT))
    return material === undefined ? quiet(fresh) : secured(fresh, endpoint, material)
  }
  try {
    if (material !== undefined) onPhase('tls', place)
    const first = material === undefined ? quiet(socket) : await secured(socket, endpoint, material, signal)
    onPhase('engine', place)
    const description = `${place.where}${material === undefined ? ', unencrypted' : ' with TLS'}`
    const tunnel = directTunnel(description, first, dial)
    try {
      await prove(tunnel.agent, place, material !== undefined, signal)
      return tunnel
    } catch (error) {
      await tunnel.close()
      throw error
    }
  } catch (error) {
    socket.destroy()
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
  signal: AbortSignal = AbortSignal.timeout(REDIAL_TIMEOUT),
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
