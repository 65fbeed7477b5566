import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import { DeployError, type FailureCode } from '../../src/errors.ts'
import { fingerprint, type HostKey, knownHostsLine } from '../../src/tunnel/hostKey.ts'
import { openTunnel } from '../../src/tunnel/openTunnel.ts'
import type { SshSettings } from '../../src/tunnel/settings.ts'
import type { Tunnel } from '../../src/tunnel/tunnel.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { testKey } from './keys.ts'
import { type FakeEngine, get, type Peer, type PeerOptions, startFakeEngine, startPeer } from './peer.ts'

const [user, host, hostRsa, stranger] = [testKey('ed25519'), testKey('ed25519'), testKey('rsa'), testKey('ed25519')]
let engine: FakeEngine
before(async () => {
  engine = await startFakeEngine()
})
after(() => engine.close())

interface Setting {
  readonly peer?: Partial<PeerOptions>
  readonly ssh?: Partial<SshSettings>
  readonly timeout?: number
  readonly signal?: AbortSignal
}

/** Opens a tunnel to a fresh server, hands both to the test, and closes them. */
async function withTunnel(setting: Setting, body: (tunnel: Tunnel, peer: Peer, warnings: string[]) => Promise<void>) {
  const peer = await startPeer({ hostKeys: [host], users: [user.blob], engine: engine.path, ...setting.peer })
  const warnings: string[] = []
  try {
    const tunnel = await openTunnel({
      endpoint: {
        kind: 'ssh',
        user: 'deploy',
        host: '127.0.0.1',
        port: peer.port,
        dockerSocket: '/var/run/docker.sock',
      },
      ssh: {
        key: user.privateKey,
        knownHosts: knownHostsLine(`[127.0.0.1]:${peer.port}`, host),
        knownHostsFile: '/nonexistent/known_hosts',
        fingerprints: [],
        hostKeyCheck: 'strict',
        ...setting.ssh,
      },
      connectTimeoutMs: setting.timeout ?? 5_000,
      warn: (text) => warnings.push(text),
      signal: setting.signal,
    })
    try {
      await body(tunnel, peer, warnings)
    } finally {
      await tunnel.close()
    }
  } finally {
    await peer.close()
  }
}

async function refused(setting: Setting, code: FailureCode, message: RegExp, remedy: RegExp): Promise<void> {
  const error = await withTunnel(setting, async () => {}).then(
    () => assert.fail('it opened'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DeployError, inspect(error))
  assert.equal(error.code, code, error.message)
  assert.match(error.message, message)
  assert.match(error.remedy ?? '', remedy)
}

test('twenty calls at once and ten after another: one connection, at most twenty channels, no login by `none`', async () => {
  await withTunnel({}, async ({ agent, description }, peer) => {
    assert.match(description, /^ssh:\/\/deploy@127\.0\.0\.1:\d+, unix socket \/var\/run\/docker\.sock$/)
    const urls = Array.from({ length: 20 }, (_, index) => `/call/${index}`)
    assert.deepEqual(await Promise.all(urls.map((url) => get(agent, url))), urls)
    const opened = peer.counts.streamlocal
    assert.ok(opened <= 20, String(opened))
    for (const url of urls.slice(0, 10)) assert.equal(await get(agent, url), url)
    assert.equal(peer.counts.streamlocal, opened)
    assert.equal(peer.counts.connections, 1)
    assert.deepEqual([...new Set(peer.counts.logins)], ['publickey'])
  })
})

test('calls one after another share a channel, and seven at once need none but those that were opened with the tunnel', async () => {
  await withTunnel({}, async ({ agent }, peer) => {
    for (let index = 0; index < 5; index += 1) await get(agent, '/_ping')
    assert.equal(peer.counts.streamlocal, 7)
    await Promise.all(Array.from({ length: 7 }, () => get(agent, '/_ping')))
    assert.equal(peer.counts.streamlocal, 7)
  })
})

test('a large answer arrives whole', async () => {
  await withTunnel({}, async ({ agent }) => {
    const url = `/${'x'.repeat(12_000)}`
    assert.equal(await get(agent, url), url)
  })
})

test('inspecting the agent, as docker-modem does on every request, shows nothing of the connection', async () => {
  await withTunnel({}, async ({ agent }) => {
    assert.equal(inspect({ agent }, { showHidden: true, depth: null }), '{ agent: TunnelAgent }')
  })
})

test('where forwarding is refused, dial-stdio is the way', async () => {
  await withTunnel({ peer: { streamlocal: false } }, async ({ agent, description }, peer) => {
    assert.match(description, /docker system dial-stdio$/)
    assert.equal(await get(agent, '/a'), '/a')
    assert.deepEqual([peer.commands, peer.counts.exec], [['docker system dial-stdio'], 1])
  })
})

const dialStdioFailures: readonly (readonly [
  what: string,
  stderr: string,
  stdout: string,
  exit: number,
  message: RegExp,
  remedy: RegExp,
])[] = [
  [
    'outside the docker group',
    'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock',
    '',
    1,
    /deploy may not open \/var\/run\/docker\.sock/,
    /usermod -aG docker deploy/,
  ],
  [
    'no engine',
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    '',
    1,
    /nobody answers at \/var\/run\/docker\.sock/,
    /docker-socket/,
  ],
  [
    'no docker command',
    'bash: line 1: docker: command not found',
    '',
    127,
    /no docker command to fall back on/,
    /AllowStreamLocalForwarding/,
  ],
  [
    'a talkative shell',
    '',
    'Welcome! disk usage 93%\n',
    0,
    /drowned by other output: "Welcome! disk usage 93%"/,
    /\.bashrc/,
  ],
  ['no shell', '', 'This account is currently not available.\n', 1, /deploy may not run commands/, /login shell/],
  ['an unknown reason', 'denied by policy\u001b[31m', '', 1, /did not run either \(denied by policy\[31m\)/, /by hand/],
]

for (const [what, stderr, stdout, exit, message, remedy] of dialStdioFailures) {
  test(`dial-stdio fails (${what}) and the message says so`, async () => {
    const onExec: PeerOptions['onExec'] = (channel) => {
      channel.stderr.write(stderr)
      channel.write(stdout)
      channel.exit(exit)
      channel.end()
    }
    await refused({ peer: { streamlocal: false, onExec } }, 'connection', message, remedy)
  })
}

test('a server that opens no session at all is said to', async () => {
  await refused(
    { peer: { streamlocal: false, maxSessions: 0 } },
    'connection',
    /opens no session/,
    /AllowStreamLocalForwarding/,
  )
})

test('an unknown, another and a revoked host key are three messages', async () => {
  const { blob } = host
  await refused(
    { ssh: { knownHosts: '# none' } },
    'host-key',
    new RegExp(`is not known: it offered ED25519 ${escaped(fingerprint(blob))}`),
    /known-hosts/,
  )
  await refused(
    { ssh: { knownHosts: knownHostsLine('*', stranger) } },
    'host-key',
    /not the pinned one/,
    /Compare first/,
  )
  await refused(
    { ssh: { knownHosts: `@revoked ${knownHostsLine('*', host)}` } },
    'host-key',
    /is revoked/,
    /Do not connect/,
  )
  await refused(
    { ssh: { knownHosts: undefined } },
    'host-key',
    /\/nonexistent\/known_hosts \(which does not exist\)/,
    /known-hosts/,
  )
})

test('the key is asked for in a kind that known_hosts has', async () => {
  const both = { hostKeys: [host, hostRsa] }
  await withTunnel({ peer: both, ssh: { knownHosts: knownHostsLine('*', hostRsa) } }, async () => {})
})

test('a fingerprint is enough, of whichever of the host keys', async () => {
  const both = { hostKeys: [host, hostRsa] }
  for (const key of [host, hostRsa]) {
    await withTunnel({ peer: both, ssh: { knownHosts: '#', fingerprints: [pin(key)] } }, async () => {})
  }
  await refused(
    { peer: both, ssh: { knownHosts: '#', fingerprints: [pin(stranger)] } },
    'host-key',
    new RegExp(`offered ED25519 ${escaped(fingerprint(host.blob))} and RSA ${escaped(fingerprint(hostRsa.blob))}`),
    /host-fingerprint/,
  )
})

test('with the check off any key is taken, and one warning shows it', async () => {
  await withTunnel({ ssh: { knownHosts: '#', hostKeyCheck: 'off' } }, async (_tunnel, _peer, warnings) => {
    assert.equal(warnings.length, 1)
    assert.ok(warnings[0]?.includes(fingerprint(host.blob)))
  })
})

test('a refused key is shown, with the line that would let it in and what the server accepts', async () => {
  await refused(
    { ssh: { key: stranger.privateKey } },
    'authentication',
    new RegExp(`refused the key ssh-ed25519 ${escaped(fingerprint(stranger.blob))}; it accepts publickey, password`),
    new RegExp(escaped(stranger.blob.toString('base64'))),
  )
})

test('a server without key logins, and one that wants a second factor, are told apart', async () => {
  await refused(
    { ssh: { key: stranger.privateKey }, peer: { methods: ['password'] } },
    'authentication',
    /accepts no keys, only password/,
    /PubkeyAuthentication/,
  )
  await refused(
    { peer: { onLogin: 'partial' } },
    'authentication',
    /took the key, but wants password as well/,
    /AuthenticationMethods/,
  )
})

test('an agent that never answers is given up with the time for connecting', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'agent-'))
  const agentSocket = path.join(folder, 'agent')
  const sockets: net.Socket[] = []
  const silent = net.createServer((socket) => sockets.push(socket)).listen(agentSocket)
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
    fs.rmSync(folder, { recursive: true })
  })
  await once(silent, 'listening')
  await refused(
    { ssh: { key: '', agentSocket }, timeout: 300 },
    'connection',
    /took more than 0\.3 s: the ssh agent at SSH_AUTH_SOCK did not say which keys it has/,
    /Give the private key in `ssh-key`/,
  )
})

test('a known_hosts file that is no file is an error, and is not waited for', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'known-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const pipe = path.join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const [knownHostsFile, why] of [
    [folder, /Could not read the known hosts in .*: it is a directory/],
    [pipe, /Could not read the known hosts in .*: it is no regular file/],
  ] as const) {
    await refused({ ssh: { knownHosts: '', knownHostsFile } }, 'host-key', why, /`known-hosts`/)
  }
})

test('without a key the agent is asked, and a missing one is an error of its own', async () => {
  await refused({ ssh: { key: undefined } }, 'authentication', /nothing to log in with/, /ssh-key/)
  await refused(
    { ssh: { key: ' \n', agentSocket: '/nonexistent/agent' } },
    'authentication',
    /ssh agent at SSH_AUTH_SOCK does not answer/,
    /ssh-key/,
  )
})

test('no name, no listener, no greeting, no SSH: each says so', async () => {
  await withServer(
    (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    async (port) => {
      await failing(port, /No SSH handshake|hung up before|took more than/, /port in `host`/)
    },
  )
  await withServer(
    (socket) => socket.end(),
    async (port) => failing(port, /hung up before the SSH handshake/, /MaxStartups/),
  )
  await withServer(
    () => {},
    async (port) =>
      failing(port, /took more than 0\.3 s: the port is open, but no SSH server finished/, /connect-timeout/),
  )
  await failing(1, /127\.0\.0\.1:1: the connection was refused/, /sshd listens/)
  await failing(
    22,
    /no\.such\.host\.invalid:22: its name does not resolve|name server did not answer/,
    /DNS|resolves/,
    'no.such.host.invalid',
  )
})

test('a login that never ends is called one', async () => {
  await refused(
    { peer: { onLogin: 'silence' }, timeout: 400 },
    'connection',
    /took more than 0\.4 s: the SSH server did not finish the login/,
    /connect-timeout/,
  )
})

test('a packet that is broken right behind the login is a lost connection, and nothing worse', async () => {
  await refused(
    { peer: { onLogin: 'garbage' } },
    'connection',
    /Logged in to .*, but the connection broke/,
    /Try again/,
  )
})

test('an abort while connecting ends it with the reason given', async () => {
  const reason = new Error('enough')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), 50)
  await assert.rejects(
    withTunnel({ peer: { onLogin: 'silence' }, signal: controller.signal }, async () => {}),
    (error) => error === reason,
  )
})

test('a cut connection ends the call under way at once, and every later one', async () => {
  await withTunnel({}, async ({ agent }, peer) => {
    const hanging = get(agent, '/hang')
    await get(agent, '/_ping')
    peer.cut()
    await assert.rejects(hanging, /the SSH connection to ssh:\/\/deploy@127\.0\.0\.1:\d+ was lost/)
    // That nothing was sent is said of those that found no connection, and of no other.
    await assert.rejects(get(agent, '/_ping'), { message: /was lost/, unsent: true })
    await assert.rejects(hanging, (error: Error) => !('unsent' in error))
  })
})

test('an aborted call rejects although the other side says nothing any more', async () => {
  await withTunnel({}, async ({ agent }, peer) => {
    await get(agent, '/_ping')
    peer.freeze()
    const controller = new AbortController()
    const hanging = get(agent, '/_ping', controller.signal)
    setTimeout(() => controller.abort(), 50)
    await assert.rejects(hanging, { name: 'AbortError' })
  })
})

test('closing ends calls under way, may be done twice, and works against a silent server', async () => {
  await withTunnel({}, async (tunnel, peer) => {
    const hanging = get(tunnel.agent, '/hang')
    await get(tunnel.agent, '/_ping')
    peer.freeze()
    await Promise.all([assert.rejects(hanging, /the tunnel is closed/), tunnel.close(), tunnel.close()])
    await assert.rejects(get(tunnel.agent, '/_ping'), /closed/)
  })
})

test('a unix socket is checked when it is opened', async () => {
  const open = (file: string) =>
    openTunnel({ endpoint: { kind: 'unix', path: file }, connectTimeoutMs: 1_000, warn: assert.fail })
  const tunnel = await open(engine.path)
  assert.equal(await get(tunnel.agent, '/a'), '/a')
  await tunnel.close()

  const dir = path.dirname(engine.path)
  const plain = path.join(dir, 'plain')
  fs.writeFileSync(plain, '')
  for (const [file, why] of [
    [path.join(dir, 'none.sock'), /there is no such socket/],
    [path.join(plain, 'x'), /no folder/],
    [plain, /nobody listens on it|not a socket/],
  ] as const) {
    await assert.rejects(
      open(file),
      (error) => error instanceof DeployError && error.code === 'connection' && why.test(error.message),
    )
  }
})

test('what may end the opening of a unix socket does not end its use', async () => {
  const opening = new AbortController()
  const tunnel = await openUnixTunnel(engine.path, opening.signal)
  opening.abort()
  assert.equal(await get(tunnel.agent, '/a'), '/a')
  await tunnel.close()
  await assert.rejects(openUnixTunnel(engine.path, AbortSignal.abort(new Error('too late'))), /too late/)
})

const pin = (key: HostKey) => ({ fingerprint: fingerprint(key.blob) })
const escaped = (text: string): string => text.replace(/[.+*?^$()[\]{}|/\\]/g, '\\$&')

async function failing(port: number, message: RegExp, remedy: RegExp, name = '127.0.0.1'): Promise<void> {
  const error = await openTunnel({
    endpoint: { kind: 'ssh', user: 'deploy', host: name, port, dockerSocket: '/var/run/docker.sock' },
    ssh: {
      key: user.privateKey,
      knownHosts: '#',
      knownHostsFile: '/nonexistent',
      fingerprints: [],
      hostKeyCheck: 'off',
    },
    connectTimeoutMs: name === '127.0.0.1' ? 300 : 10_000,
    warn: assert.fail,
  }).then(
    () => assert.fail('it opened'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DeployError, inspect(error))
  assert.equal(error.code, 'connection')
  assert.match(error.message, message)
  assert.match(error.remedy ?? '', remedy)
}

async function withServer(
  onSocket: (socket: net.Socket) => void,
  body: (port: number) => Promise<void>,
): Promise<void> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    onSocket(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await body((server.address() as net.AddressInfo).port)
  } finally {
    server.close()
  }
}
