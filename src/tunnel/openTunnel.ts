import { DeployError } from '../errors.ts'
import { type Phase, type Place, timeoutError } from './connectError.ts'
import type { Attempt } from './connectHop.ts'
import { connectJumps, connectSsh } from './connectSsh.ts'
import { deployErrorOf } from './deployErrorOf.ts'
import { dialStdioError } from './dialStdioError.ts'
import { describeEndpoint, type SshEndpoint } from './endpoint.ts'
import type { SshConnection } from './login.ts'
import { ping } from './ping.ts'
import type { TunnelSettings } from './settings.ts'
import { onLoss } from './sshLoss.ts'
import { openTcpTunnel } from './tcpTunnel.ts'
import type { Tunnel } from './tunnel.ts'
import { TunnelAgent } from './tunnelAgent.ts'
import { openUnixTunnel } from './unixTunnel.ts'
import { findWayIn } from './wayIn.ts'

/**
 * Opens the one way to an engine that a whole run uses. Rejects with a DeployError (`connection`, `host-key`, `authentication`,
 * `input`), or with the signal's reason.
 */
export async function openTunnel(settings: TunnelSettings): Promise<Tunnel> {
  const { endpoint, connectTimeoutMs } = settings
  const controller = new AbortController()
  let reached: readonly [Phase, Place] = [
    endpoint.kind === 'ssh' ? 'looking up' : 'engine',
    { where: describeEndpoint(endpoint), input: 'host', daemon: 'the Docker engine' },
  ]
  const onPhase = (phase: Phase, place: Place): void => {
    reached = [phase, place]
  }
  const timer = setTimeout(() => controller.abort(timeoutError(...reached, connectTimeoutMs)), connectTimeoutMs)
  const abandon = (): void => controller.abort(settings.signal?.reason)
  settings.signal?.addEventListener('abort', abandon, { once: true })
  try {
    settings.signal?.throwIfAborted()
    return await openEndpoint(settings, {
      signal: controller.signal,
      warn: settings.warn,
      say: settings.say ?? ignore,
      onPhase,
    })
  } finally {
    clearTimeout(timer)
    settings.signal?.removeEventListener('abort', abandon)
  }
}

function ignore(): void {}

async function openEndpoint({ endpoint, ssh, tls }: TunnelSettings, attempt: Attempt): Promise<Tunnel> {
  const { signal } = attempt
  switch (endpoint.kind) {
    case 'unix':
      return openUnixTunnel(endpoint.path, signal)
    case 'tcp':
      return openTcpTunnel(endpoint, tls, ssh && (await connectJumps(ssh, attempt)), attempt)
    case 'ssh': {
      if (ssh === undefined)
        throw new DeployError('internal', `No ssh settings came with ${describeEndpoint(endpoint)}.`)
      const connection = await connectSsh(endpoint, ssh, attempt)
      attempt.onPhase('engine', { where: describeEndpoint(endpoint), input: 'host', daemon: 'sshd' })
      return tunnelOver(connection, endpoint, signal)
    }
  }
}

/** So many channels are opened while the first call is under way: the lists that a run begins with are asked for all at once. */
const MORE = 6

/** A lost connection stays lost here: whoever wants to go on opens another tunnel. */
async function tunnelOver(connection: SshConnection, endpoint: SshEndpoint, signal: AbortSignal): Promise<Tunnel> {
  const { client, socket } = connection
  let lost: Error | undefined
  let agent: TunnelAgent | undefined
  const ended = new Promise<void>((resolve) => client.once('close', () => resolve()))
  onLoss(connection, describeEndpoint(endpoint), (error) => {
    lost ??= error
    agent?.closeAll(lost)
  })
  const abandon = (): void => void socket.destroy()
  signal.addEventListener('abort', abandon, { once: true })

  try {
    const wayIn = await findWayIn(client, endpoint)
    const more = wayIn.kind === 'unix socket' ? Array.from({ length: MORE }, () => wayIn.dial()) : []
    const ready = [Promise.resolve(wayIn.first), ...more.map((channel) => channel.catch(() => undefined))]
    agent = new TunnelAgent(async () => {
      if (lost !== undefined) throw lost
      const channel = await ready.shift()
      // One that failed is handed on, for its error says why.
      return channel !== undefined && (!channel.destroyed || channel.errored) ? channel : wayIn.dial()
    })
    if (wayIn.kind !== 'unix socket') await proveDialStdio(agent, endpoint, wayIn.refusal ?? '', signal)
    const opened = agent
    return {
      agent: opened,
      description: `${describeEndpoint(endpoint)}, ${wayIn.kind === 'unix socket' ? `unix socket ${endpoint.dockerSocket}` : wayIn.kind}`,
      close: async () => {
        lost ??= Object.assign(new Error('the tunnel is closed'), { code: 'ECONNRESET' })
        opened.closeAll(lost)
        await goodbye(connection, ended)
      },
    }
  } catch (error) {
    agent?.closeAll(new Error('the tunnel did not open'))
    socket.destroy()
    if (signal.aborted) throw signal.reason
    const why = deployErrorOf(error)
    if (why !== undefined) throw why
    throw new DeployError(
      'connection',
      `Logged in to ${describeEndpoint(endpoint)}, but the connection broke: ${lost?.message ?? String(error)}.`,
      {
        cause: error,
        remedy: "Try again; if it stays, the server's sshd log may say why.",
      },
    )
  } finally {
    signal.removeEventListener('abort', abandon)
  }
}

/** What the command printed is known to be the engine's answer once it parses as one. */
async function proveDialStdio(
  agent: TunnelAgent,
  endpoint: SshEndpoint,
  refusal: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await ping(agent, signal)
  } catch (error) {
    const { code, rawPacket } = error as { readonly code?: unknown; readonly rawPacket?: Buffer }
    if (typeof code !== 'string' || !code.startsWith('HPE_')) throw error
    throw dialStdioError(endpoint, refusal, { noise: rawPacket?.toString('utf8') ?? '' })
  }
}

/** Says goodbye, and waits a second for the other side to do the same. */
async function goodbye({ client, socket }: SshConnection, ended: Promise<void>): Promise<void> {
  client.end()
  const timer = setTimeout(() => socket.destroy(), 1_000)
  await ended
  clearTimeout(timer)
}
