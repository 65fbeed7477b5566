import net from 'node:net'
import { type Place, tcpError } from './connectError.ts'

/** Opens a TCP connection; rejects with a DeployError, or with the signal's reason. */
export function connectTcp(
  { host, port }: { readonly host: string; readonly port: number },
  place: Place,
  signal: AbortSignal,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const socket = net.connect({ host, port, noDelay: true })
    const abandon = (): void => {
      socket.destroy()
      reject(signal.reason)
    }
    signal.addEventListener('abort', abandon, { once: true })
    socket.once('connect', () => {
      signal.removeEventListener('abort', abandon)
      // Until whoever speaks over it listens, nobody does.
      socket.removeAllListeners('error').on('error', () => {})
      resolve(socket)
    })
    socket.once('error', (error) => {
      signal.removeEventListener('abort', abandon)
      reject(tcpError(error, place))
    })
  })
}
