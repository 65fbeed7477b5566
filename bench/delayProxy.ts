import net from 'node:net'

/** A TCP proxy on 127.0.0.1 that adds a round trip of `roundTripMs` to a connection and to each exchange on it. */
export async function startDelayProxy(
  target: { readonly host: string; readonly port: number },
  roundTripMs: number,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const oneWay = roundTripMs / 2
  const open = new Set<net.Socket>()
  const forward = (from: net.Socket, to: net.Socket): void => {
    from.setNoDelay(true)
    from.on('data', (chunk) => setTimeout(() => to.destroyed || to.write(chunk), oneWay))
    from.on('end', () => setTimeout(() => to.end(), oneWay))
    from.on('error', () => to.destroy())
    from.on('close', () => {
      open.delete(from)
      setTimeout(() => to.destroy(), oneWay + 50)
    })
    open.add(from)
  }
  const server = net.createServer((client) => {
    const upstream = net.connect(target.port, target.host)
    forward(upstream, client)
    // The handshake of TCP costs a round trip too.
    client.pause()
    setTimeout(() => {
      forward(client, upstream)
      client.resume()
    }, roundTripMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    port: address.port,
    stop: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
