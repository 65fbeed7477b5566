import net from 'node:net'
import type { TestContext } from 'node:test'

/** A TCP port in front of another one. */
export interface Relay {
  readonly port: number
  /** How many connections came in. */
  readonly connections: number
  /** From now on nothing comes back, until `release`; what goes out still does. */
  hold(): void
  release(): void
  /** Breaks all connections, and takes no more. */
  cut(): void
}

/** Opens a relay that ends with the test; without a target it takes connections and never says a word. */
export async function openRelay(
  context: TestContext,
  target?: { readonly host: string; readonly port: number },
): Promise<Relay> {
  const pairs = new Set<{ readonly near: net.Socket; readonly far: net.Socket | undefined }>()
  let connections = 0
  let held = false
  const server = net.createServer((near) => {
    connections++
    const far = target && net.connect(target)
    const pair = { near, far }
    pairs.add(pair)
    for (const socket of [near, far]) {
      socket?.setNoDelay(true)
      socket?.on('error', () => {})
      socket?.on('close', () => {
        near.destroy()
        far?.destroy()
        pairs.delete(pair)
      })
    }
    if (far === undefined) return
    near.pipe(far)
    far.on('data', (chunk) => near.write(chunk))
    if (held) far.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    for (const { near } of pairs) near.destroy()
    server.close()
  }
  context.after(cut)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the relay has no port')
  return {
    port: address.port,
    get connections() {
      return connections
    },
    hold() {
      held = true
      for (const { far } of pairs) far?.pause()
    },
    release() {
      held = false
      for (const { far } of pairs) far?.resume()
    },
    cut,
  }
}
