import { Duplex } from 'node:stream'
import type { ClientChannel } from 'ssh2'

/**
 * An SSH channel as the kind of socket that node's http expects. ssh2's own channel lacks methods that an http.Agent calls, and
 * its destroy() waits for the server's answer, so that an aborted request on a dead link would never end.
 */
export class ChannelSocket extends Duplex {
  readonly #channel: ClientChannel
  readonly #onEarlyEnd: (() => Error) | undefined
  #received = false
  #over = false

  /** `onEarlyEnd` says what it means that the channel ends before its first byte. */
  constructor(channel: ClientChannel, onEarlyEnd?: () => Error) {
    super({ allowHalfOpen: false })
    this.#channel = channel
    this.#onEarlyEnd = onEarlyEnd
    // A socket waiting in the pool has nobody else to hear of its end.
    this.on('error', () => {})
    channel.on('data', (chunk: Buffer) => {
      this.#received = true
      if (!this.destroyed && !this.push(chunk)) channel.pause()
    })
    channel.on('end', () => {
      this.#over = true
      // What an exec channel died of is known only when it closes: its exit code and stderr come later than its end.
      if (this.#onEarlyEnd === undefined || this.#received) this.push(null)
      // ssh2's channels are half-open: without this the server never gets to close it.
      channel.end()
    })
    channel.on('close', () => {
      const early = this.#received ? undefined : this.#onEarlyEnd?.()
      if (early !== undefined || this.readableEnded) {
        this.destroy(early)
        return
      }
      // What has arrived may still have to be read.
      this.once('end', () => this.destroy())
      this.push(null)
    })
    channel.on('error', (error: Error) => this.destroy(error))
  }

  override _read(): void {
    this.#channel.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    // After the other side's end nothing is taken any more. The channel's close comes next and destroys this socket, with the
    // reason; an error from here would be taken for it.
    if (!this.#over) this.#channel.write(chunk, callback)
  }

  override _final(callback: () => void): void {
    this.#channel.end()
    callback()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#channel.close()
    // Bytes that still arrive are let through to nowhere, or the channel's window would stay shut.
    this.#channel.resume()
    callback(error)
  }

  // An http.Agent calls these on every socket; for a channel the SSH connection under it takes care of all of that.
  setKeepAlive(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setTimeout(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  destroySoon(): void {
    if (this.writableFinished) this.destroy()
    else this.end(() => this.destroy())
  }
}
