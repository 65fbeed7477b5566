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
  #closed = false

  constructor(dial: () => Promise<Duplex>) {
    super({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
    this.#dial = dial
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const failed = callback as ((error: Error) => void) | undefined
    this.#dial().then(
      (socket) => {
        if (this.#closed) socket.destroy()
        // Node's http would wait for ever on a socket that ended before it was attached to.
        if (socket.destroyed) {
          failed?.(socket.errored ?? ended(this.#closed ? 'the tunnel is closed' : 'the connection ended at once'))
          return
        }
        this.#open.add(socket)
        socket.once('close', () => this.#open.delete(socket))
        callback?.(null, socket)
      },
      (error: Error) => failed?.(error),
    )
  }

  /** Whatever host a request names, all go to the one engine and may share connections. */
  override getName(): string {
    return 'engine'
  }

  /** Ends every connection; requests under way reject with `reason`. */
  closeAll(reason: Error): void {
    this.#closed = true
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

function ended(why: string): Error {
  return Object.assign(new Error(why), { code: 'ECONNRESET' })
}
