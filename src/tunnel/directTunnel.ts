import type { Duplex } from 'node:stream'
import type { Tunnel } from './tunnel.ts'
import { TunnelAgent } from './tunnelAgent.ts'

/** A tunnel without SSH: each connection is dialled anew, but for the first, which is open already. */
export function directTunnel(
  description: string,
  opened: Duplex,
  dial: () => Promise<Duplex>,
): Tunnel & { readonly agent: TunnelAgent } {
  let first: Duplex | undefined = opened
  const agent = new TunnelAgent(async () => {
    const ready = first
    first = undefined
    return ready?.destroyed === false ? ready : dial()
  })
  return {
    agent,
    description,
    close: async () => {
      agent.closeAll(Object.assign(new Error('the tunnel is closed'), { code: 'ECONNRESET' }))
      first?.destroy()
    },
  }
}
