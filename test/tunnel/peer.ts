import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import ssh2, { type Connection, type KeyboardAuthContext, type PasswordAuthContext, type ServerChannel } from 'ssh2'
import type { TestKey } from './keys.ts'

export interface Peer {
  readonly port: number
  /** How many SSH connections there were, and channels of each kind that were opened. */
  readonly counts: { connections: number; streamlocal: number; exec: number; logins: string[] }
  /** The commands that were run. */
  readonly commands: string[]
  /** Cuts every TCP connection. */
  cut(): void
  /** Stops reading and writing, without a word. */
  freeze(): void
  /** Resolves once no connection is open. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface PeerOptions {
  readonly hostKeys: readonly TestKey[]
  /** Public key blobs that may log in. */
  readonly users?: readonly Buffer[]
  /** Where forwarded channels and dial-stdio end. */
  readonly engine?: string
  readonly streamlocal?: boolean
  /** Exec channels at once, as sshd's MaxSessions. */
  readonly maxSessions?: number
  /** Instead of dial-stdio. */
  readonly onExec?: (channel: ServerChannel) => void
  /** Instead of an answer to a login. */
  readonly onLogin?: 'silence' | 'partial' | 'garbage'
  /** Instead of judging passwords and answers to questions: what a login by one of them meets. */
  readonly onPassword?: (context: PasswordAuthContext | KeyboardAuthContext) => void
  /** Methods that a refused login may go on with. */
  readonly methods?: readonly ('publickey' | 'password' | 'keyboard-interactive')[]
}

/** An SSH server in this process. */
export async function startPeer(options: PeerOptions): Promise<Peer> {
  const counts: Peer['counts'] = { connections: 0, streamlocal: 0, exec: 0, logins: [] }
  const commands: string[] = []
  const sockets = new Set<net.Socket>()
  const server = new ssh2.Server({ hostKeys: options.hostKeys.map((key) => key.privateKey) }, (client) =>
    serve(client, options, counts, commands, () => {
      for (const socket of sockets) socket.write(Buffer.alloc(64, 255))
    }),
  )
  // A listener in front of it, so that a test can get at the TCP connections.
  const front = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    server.injectSocket(socket)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const { port } = front.address() as net.AddressInfo
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    counts,
    commands,
    cut,
    freeze() {
      for (const socket of sockets) socket.removeAllListeners('data').pause()
    },
    async idle() {
      await Promise.all(
        [...sockets].map((socket) => socket.closed || new Promise((resolve) => socket.once('close', resolve))),
      )
    },
    async close() {
      cut()
      await new Promise((resolve) => front.close(resolve))
    },
  }
}

function serve(
  client: Connection,
  options: PeerOptions,
  counts: Peer['counts'],
  commands: string[],
  writeGarbage: () => void,
): void {
  const { users = [], engine = '', streamlocal = true, maxSessions = 10 } = options
  let sessions = 0
  counts.connections += 1
  client.on('error', () => {})
  client.on('authentication', (context) => {
    counts.logins.push(context.method)
    if (options.onLogin === 'silence') return
    if (options.onPassword && (context.method === 'password' || context.method === 'keyboard-interactive')) {
      options.onPassword(context)
      return
    }
    if (context.method !== 'publickey' || !users.some((blob) => blob.equals(context.key.data))) {
      context.reject([...(options.methods ?? ['publickey', 'password'])])
    } else if (options.onLogin === 'partial' && context.signature) {
      context.reject(['password'], true)
    } else {
      context.accept()
      // In the same piece as the answer to the login.
      if (options.onLogin === 'garbage' && context.signature) writeGarbage()
    }
  })
  client.on('session', (accept, reject) => {
    if (sessions >= maxSessions) {
      reject()
      return
    }
    sessions += 1
    const session = accept()
    session.on('close', () => {
      sessions -= 1
    })
    session.on('exec', (acceptExec, _reject, info) => {
      counts.exec += 1
      commands.push(info.command)
      const channel = acceptExec()
      if (options.onExec) options.onExec(channel)
      else join(channel, engine)
    })
  })
  client.on('tcpip', (accept, _reject, { destIP, destPort }) => join(accept(), { host: destIP, port: destPort }))
  client.on('openssh.streamlocal' as 'tcpip', (accept, reject) => {
    if (!streamlocal) {
      reject()
      return
    }
    counts.streamlocal += 1
    join(accept(), engine)
  })
}

function join(channel: ServerChannel, target: string | { readonly host: string; readonly port: number }): void {
  const socket = typeof target === 'string' ? net.connect(target) : net.connect(target)
  socket.on('error', () => channel.close())
  channel.on('error', () => socket.destroy())
  channel.on('close', () => socket.destroy())
  channel.pipe(socket).pipe(channel)
}

export interface FakeEngine {
  readonly path: string
  close(): Promise<void>
}

/** An engine on a unix socket that answers `_ping`, echoes everything else, and never answers `/hang`. */
export async function startFakeEngine(): Promise<FakeEngine> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fake-engine-'))
  const server = http.createServer((request, response) => {
    if (request.url === '/hang') return
    response.setHeader('Api-Version', '1.51')
    response.end(request.url === '/_ping' ? 'OK' : request.url)
  })
  const file = path.join(dir, 'docker.sock')
  await new Promise<void>((resolve) => server.listen(file, resolve))
  return {
    path: file,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      fs.rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** A GET through an agent. */
export function get(agent: http.Agent, url: string, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    http
      .get({ agent, host: 'docker', path: url, ...(signal && { signal }) }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => resolve(text))
        response.on('error', reject)
      })
      .on('error', reject)
  })
}
