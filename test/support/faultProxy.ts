import net from 'node:net'

/** What befalls a connection once so many bytes have passed in one direction. */
export interface Fault {
  /** `stall`: nothing passes any more, and nobody says so. `slow`: every piece takes 300 ms from then on. */
  readonly kind: 'cut' | 'stall' | 'corrupt' | 'slow'
  /** `down` is from the server. */
  readonly direction: 'up' | 'down'
  readonly after: number
}

export interface FaultProxy {
  readonly port: number
  /** Breaks all connections; new ones are taken. */
  cut(): void
  /** Bytes that have passed on each connection so far. */
  readonly passed: readonly { up: number; down: number }[]
  close(): void
}

/**
 * A TCP port in front of another one, or of a unix socket; the connections that come in meet the faults in their order, and the later ones
 * none. The target is read anew for each of them.
 */
export async function openFaultProxy(
  target: { host: string; port: number } | { path: string },
  faults: readonly Fault[],
): Promise<FaultProxy> {
  const passed: { up: number; down: number }[] = []
  const open = new Set<net.Socket>()
  const server = net.createServer((near) => {
    const far = net.connect(target)
    const count = { up: 0, down: 0 }
    const fault = faults[passed.push(count) - 1]
    let isStalled = false
    for (const socket of [near, far]) {
      open.add(socket.setNoDelay(true).on('error', () => {}))
      socket.on('close', () => {
        open.delete(socket)
        // Behind a stalled link nobody hears of the other's end.
        if (!isStalled || socket === near) [near, far].map((end) => end.destroy())
      })
    }
    const carry = (from: net.Socket, to: net.Socket, direction: Fault['direction']): void => {
      from.on('data', (chunk: Buffer) => {
        if (isStalled) return
        const before = count[direction]
        count[direction] += chunk.length
        const isDue = fault?.direction === direction && count[direction] > fault.after
        if (!isDue) {
          to.write(chunk)
          return
        }
        const at = Math.max(0, fault.after - before)
        switch (fault.kind) {
          case 'cut':
            to.write(chunk.subarray(0, at))
            for (const end of [near, far]) end.destroySoon()
            break
          case 'stall':
            to.write(chunk.subarray(0, at))
            isStalled = true
            break
          case 'corrupt':
            if (before <= fault.after) chunk[at] = (chunk[at] ?? 0) ^ 0x10
            to.write(chunk)
            break
          case 'slow':
            from.pause()
            setTimeout(() => {
              to.write(chunk)
              from.resume()
            }, 300)
        }
      })
    }
    carry(near, far, 'up')
    carry(far, near, 'down')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    port,
    passed,
    cut,
    close() {
      server.close()
      cut()
    },
  }
}
