import net from 'node:net'
import type { Duplex } from 'node:stream'
import { DeployError, messageOf } from '../errors.ts'
import { directTunnel } from './directTunnel.ts'
import type { Tunnel } from './tunnel.ts'

/** A tunnel to an engine's socket on this machine. Its first connection is opened here, so that a wrong path shows at once. */
export async function openUnixTunnel(path: string, signal: AbortSignal): Promise<Tunnel> {
  try {
    return directTunnel(`unix://${path}`, await connectUnix(path, signal), () => connectUnix(path))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw unixError(path, error)
  }
}

function connectUnix(path: string, signal?: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path)
    // Not net's own `signal`, which would end the socket at any later time too.
    const abandon = (): void => void socket.destroy(new Error('given up'))
    if (signal?.aborted) abandon()
    signal?.addEventListener('abort', abandon, { once: true })
    const settle = (): void => signal?.removeEventListener('abort', abandon)
    socket.once('error', (error) => {
      settle()
      reject(error)
    })
    socket.once('connect', () => {
      settle()
      // A socket waiting in the pool has nobody else to hear of its end.
      socket.on('error', () => {})
      resolve(socket)
    })
  })
}

function unixError(path: string, error: unknown): DeployError {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  const [why, remedy] = {
    ENOENT: ['there is no such socket', 'Check the path in `host`, and that the Docker engine runs on this machine.'],
    ENOTDIR: ['its path leads through something that is no folder', 'Check the path in `host`.'],
    EACCES: ['permission denied', 'Run as a user in the docker group, or as root.'],
    ECONNREFUSED: ['nobody listens on it', 'Start the Docker engine on this machine.'],
    ENOTSOCK: ['it is not a socket', 'Check the path in `host`.'],
  }[String(code)] ?? [messageOf(error), 'Check the path in `host`, and that the Docker engine runs on this machine.']
  return new DeployError('connection', `Could not connect to the Docker engine at unix://${path}: ${why}.`, {
    cause: error,
    remedy: remedy ?? '',
  })
}
