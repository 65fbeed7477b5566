import type { Duplex } from 'node:stream'
import type { Client, ClientChannel } from 'ssh2'
import { isRefusal, refusalWords } from './channelRefusal.ts'
import { ChannelSocket } from './channelSocket.ts'
import { dialStdioError } from './dialStdioError.ts'
import type { SshEndpoint } from './endpoint.ts'

/** How channels to the engine are opened on one SSH connection. */
export interface WayIn {
  readonly kind: 'unix socket' | 'docker system dial-stdio'
  /** A first channel, open already. */
  readonly first: Duplex
  readonly dial: () => Promise<Duplex>
  /** The server's words when it did not open the socket. */
  readonly refusal?: string
}

/**
 * Finds out which way the server lets us: to the engine's socket itself, which needs no docker command over there; where that is
 * refused, through `docker system dial-stdio`. The second one is proven only by an answer: a shell may have printed something first.
 */
export async function findWayIn(client: Client, endpoint: SshEndpoint): Promise<WayIn> {
  const forward = (): Promise<Duplex> => forwardToSocket(client, endpoint.dockerSocket)
  try {
    return { kind: 'unix socket', first: await forward(), dial: forward }
  } catch (error) {
    if (!isRefusal(error)) throw error
    const refusal = refusalWords(error)
    const exec = (): Promise<Duplex> => dialStdio(client, endpoint, refusal)
    const first = await firstSession(exec, endpoint, refusal)
    return { kind: 'docker system dial-stdio', first, dial: exec, refusal }
  }
}

function forwardToSocket(client: Client, path: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    client.openssh_forwardOutStreamLocal(path, (error, channel) => {
      if (error) reject(error)
      else resolve(new ChannelSocket(channel))
    })
  })
}

function dialStdio(client: Client, endpoint: SshEndpoint, refusal: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    client.exec(dialCommand(endpoint.dockerSocket), (error, channel) => {
      if (error)
        reject(
          isRefusal(error) ? tooManyChannels(error) : dialStdioError(endpoint, refusal, { refused: error.message }),
        )
      else resolve(execSocket(channel, endpoint, refusal))
    })
  })
}

function execSocket(channel: ClientChannel, endpoint: SshEndpoint, refusal: string): Duplex {
  let stderr = ''
  let exitCode: number | undefined
  channel.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < 4_000) stderr += chunk.toString('utf8')
  })
  channel.on('exit', (code: number | null) => {
    exitCode = code ?? undefined
  })
  return new ChannelSocket(channel, () => dialStdioError(endpoint, refusal, { stderr, exitCode }))
}

/** Without a socket of its own to name, the command follows the docker context of the user over there. */
function dialCommand(socket: string): string {
  if (socket === '/var/run/docker.sock') return 'docker system dial-stdio'
  return `docker --host '${`unix://${socket}`.replaceAll("'", "'\\''")}' system dial-stdio`
}

/** Tells whoever bounds the number of calls at once to ask for fewer: sshd's MaxSessions counts these channels. */
function tooManyChannels(error: Error): Error {
  return Object.assign(new Error('the SSH server opens no further session (MaxSessions)', { cause: error }), {
    code: 'EMFILE',
  })
}

async function firstSession(exec: () => Promise<Duplex>, endpoint: SshEndpoint, refusal: string): Promise<Duplex> {
  try {
    return await exec()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EMFILE') {
      throw dialStdioError(endpoint, refusal, { refused: 'the server opens no session' })
    }
    throw error
  }
}
