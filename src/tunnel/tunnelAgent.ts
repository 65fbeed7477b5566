import { Agent, type ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import { inspect } from 'node:util'

/**
 * The http.Agent whose connections are dialled through a tunnel. It sets no bound: with an asynchronous createConnection node
 * opens and drops sockets over and over once `maxSockets` is reached. Whoever makes the requests bounds their number.
 */
export class TunnelAgent extends Agent {
  readonly #dial: () => Promise<Duplex>
  readonly #open = new Set<Duplex>()
  readonly #dialling = new Set<(reason: Error) => void>()
  #closed: Error | undefined

  constructor(dial: () => Promise<Duplex>) {
    super({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
    this.#dial = dial
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    let isSettled = false
    const fail = (reason: Error): void => {
      if (isSettled) return
      isSettled = true
      this.#dialling.delete(fail)
      const failed = callback as ((error: Error) => void) | undefined
      failed?.(unsent(reason))
    }
    this.#dialling.add(fail)
    this.#dial().then((socket) => {
      if (isSettled || this.#closed !== undefined) {
        socket.destroy()
        fail(this.#closed ?? ended())
        return
      }
      // Node's http would wait for ever on a socket that ended before it was attached to.
      if (socket.destroyed) {
        fail(socket.errored ?? ended())
        return
      }
      isSettled = true
      this.#dialling.delete(fail)
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
      callback?.(null, socket)
    }, fail)
  }

  /** Whatever host a request names, all go to the one engine and may share connections. */
  override getName(): string {
    return 'engine'
  }

  /** Ends every connection; requests under way reject with `reason`, also those that wait for one. */
  closeAll(reason: Error): void {
    this.#closed ??= reason
    for (const fail of this.#dialling) fail(reason)
    for (const socket of this.#open) socket.destroy(reason)
    this.destroy()
  }

  /**
   * docker-modem inspects its options, this agent among them, on every request: walking the whole SSH connection takes 100 ms, and
   * with DEBUG set would print the key.
   */
  [inspect.custom](): string {
    return 'TunnelAgent'
  }
}

function ended(): Error {
  return Object.assign(new Error('the connection ended at once'), { code: 'ECONNRESET' })
}

/**
 * Marks the error of a request that had no connection to go over, and so had no effect. The mark is on an error of its own: the same
 * reason may end requests that were sent.
 */
function unsent(reason: Error): Error {
  const code = 'code' in reason ? { code: reason.code } : {}
  return Object.assign(new Error(reason.message, { cause: reason }), code, { unsent: true })
}
