import http from 'node:http'
import type { TunnelAgent } from './tunnelAgent.ts'

/** Asks an engine for a sign of life; answers the HTTP status. Rejects with node's error or the signal's reason. */
export function ping(agent: TunnelAgent, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    // Said at once: a request that still waits for its connection would take its time.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    const request = http.get({ agent, host: 'docker', path: '/_ping', signal }, (response) => {
      response
        .resume()
        .once('end', () => resolve(response.statusCode))
        .once('error', reject)
    })
    request.once('error', reject)
  })
}
