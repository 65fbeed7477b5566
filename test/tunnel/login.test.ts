// Passwords, questions, agents and jump hosts, against a server in this process that does what no real one can be made to do.
import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import { DeployError } from '../../src/errors.ts'
import { knownHostsLine } from '../../src/tunnel/hostKey.ts'
import { openTunnel } from '../../src/tunnel/openTunnel.ts'
import type { SshSettings } from '../../src/tunnel/settings.ts'
import type { Tunnel } from '../../src/tunnel/tunnel.ts'
import { testKey } from './keys.ts'
import { type FakeEngine, get, type Peer, type PeerOptions, startFakeEngine, startPeer } from './peer.ts'

const [user, host, jumpUser, jumpHost] = [
  testKey('ed25519'),
  testKey('ed25519'),
  testKey('ed25519'),
  testKey('ed25519'),
]
const password = 'open sesame'
let engine: FakeEngine
before(async () => {
  engine = await startFakeEngine()
})
after(() => engine.close())

async function server(t: TestContext, options: Partial<PeerOptions> = {}): Promise<Peer> {
  const peer = await startPeer({ hostKeys: [host], users: [user.blob], engine: engine.path, ...options })
  t.after(() => peer.close())
  return peer
}

async function open(t: TestContext, port: number, ssh: Partial<SshSettings>, timeout = 10_000): Promise<Tunnel> {
  const tunnel = await openTunnel({
    endpoint: { kind: 'ssh', user: 'deploy', host: '127.0.0.1', port, dockerSocket: '/var/run/docker.sock' },
    ssh: {
      knownHosts: knownHostsLine(`[127.0.0.1]:${port}`, host),
      knownHostsFile: '/nonexistent/known_hosts',
      fingerprints: [],
      hostKeyCheck: 'strict',
      ...ssh,
    },
    connectTimeoutMs: timeout,
    warn: assert.fail,
  })
  t.after(() => tunnel.close())
  return tunnel
}

async function refusal(opening: Promise<Tunnel>): Promise<DeployError> {
  const error = await opening.then(
    () => assert.fail('it opened'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DeployError, String(error))
  assert.ok(!`${error.message}${error.remedy}`.includes(password))
  return error
}

test('a password is sent once, and only where the server takes passwords', async (t) => {
  const seen: string[] = []
  const peer = await server(t, {
    methods: ['password', 'keyboard-interactive'],
    onPassword: (context) => {
      seen.push(context.method === 'password' ? context.password : context.method)
      context.reject(['password', 'keyboard-interactive'])
    },
  })
  const { message } = await refusal(open(t, peer.port, { password }))
  assert.match(message, /refused the password; it accepts password, keyboard-interactive/)
  assert.deepEqual(seen, [password])
  assert.deepEqual(peer.counts.logins, ['none', 'password'])

  const keysOnly = await server(t, { methods: ['publickey'] })
  assert.match((await refusal(open(t, keysOnly.port, { password }))).message, /accepts no passwords, only publickey/)
  assert.deepEqual(keysOnly.counts.logins, ['none'])
})

test('a question that the password does not answer is told', async (t) => {
  const answers: string[][] = []
  const peer = await server(t, {
    methods: ['keyboard-interactive'],
    onPassword: (context) => {
      if (context.method !== 'keyboard-interactive') return context.reject()
      context.prompt([{ prompt: 'Password: ', echo: false }], (first) => {
        answers.push(first)
        context.prompt([{ prompt: '\u001b[31mVerification code: ', echo: false }], (second) => {
          answers.push(second)
          context.reject(['keyboard-interactive'])
        })
      })
    },
  })
  const { code, message } = await refusal(open(t, peer.port, { password }))
  assert.equal(code, 'authentication')
  assert.match(message, /asks for more than the password: "\[31mVerification code:\s?"/)
  assert.deepEqual(answers, [[password], ['']])
})

test('a password that has to be changed is told, and not waited for', async (t) => {
  const peer = await server(t, {
    methods: ['password'],
    onPassword: (context) => {
      if (context.method === 'password') context.requestChange('Your password has expired', () => {})
    },
  })
  const { message, remedy } = await refusal(open(t, peer.port, { password }))
  assert.match(message, /the password has expired and must be changed first \(Your password has expired\)/)
  assert.match(remedy ?? '', /ssh-key/)
})

test('an agent that holds a key but does not sign is told', async (t) => {
  const { agent, socket } = await brokenAgent(t)
  const peer = await server(t, { methods: ['publickey'] })
  const { code, message } = await refusal(open(t, peer.port, { agentSocket: socket }))
  assert.equal(code, 'authentication')
  assert.match(message, /the ssh agent failed|refused all 1 keys of the ssh agent/)
  assert.ok(agent.asked > 1)
})

test('through a jump host: each has its own user key, and closing closes both', async (t) => {
  const peer = await server(t)
  const bastion = await server(t, { hostKeys: [jumpHost], users: [jumpUser.blob] })
  const tunnel = await open(t, peer.port, through(bastion, peer))
  assert.equal(await get(tunnel.agent, '/a'), '/a')
  await tunnel.close()
  assert.deepEqual([peer.counts.connections, bastion.counts.connections], [1, 1])
  assert.deepEqual([...new Set([...peer.counts.logins, ...bastion.counts.logins])], ['publickey'])
  await assert.rejects(get(tunnel.agent, '/b'), /closed/)
})

test('a jump host that is lost ends the call under way at once', async (t) => {
  const peer = await server(t)
  const bastion = await server(t, { hostKeys: [jumpHost], users: [jumpUser.blob] })
  const tunnel = await open(t, peer.port, through(bastion, peer))
  const hanging = get(tunnel.agent, '/hang')
  await get(tunnel.agent, '/_ping')
  bastion.cut()
  await assert.rejects(hanging, /the SSH connection to ssh:\/\/deploy@127\.0\.0\.1:\d+ was lost/)
})

test('the time for connecting is for all hops together, and the one that took it is named', async (t) => {
  const peer = await server(t, { onLogin: 'silence' })
  const bastion = await server(t, { hostKeys: [jumpHost], users: [jumpUser.blob] })
  const { code, message } = await refusal(open(t, peer.port, through(bastion, peer), 2_000))
  assert.equal(code, 'connection')
  assert.match(
    message,
    new RegExp(
      `Connecting to 127.0.0.1:${peer.port} through the jump host 127.0.0.1:${bastion.port} took more than 2 s: `,
    ),
  )
  assert.match(message, /the SSH server did not finish the login/)
  await bastion.idle()
})

test('a manager behind a jump host that fails leaves no connection to the jump host', async (t) => {
  const peer = await server(t, { users: [] })
  const bastion = await server(t, { hostKeys: [jumpHost], users: [jumpUser.blob] })
  assert.match((await refusal(open(t, peer.port, through(bastion, peer)))).message, /refused the key/)
  await bastion.idle()
})

/** Settings that lead through the jump host; its password is the endpoint's alone. */
function through(bastion: Peer, peer: Peer): Partial<SshSettings> {
  return {
    key: user.privateKey,
    jumpKey: jumpUser.privateKey,
    password,
    jumps: [{ user: 'hop', host: '127.0.0.1', port: bastion.port }],
    knownHosts: [
      knownHostsLine(`[127.0.0.1]:${peer.port}`, host),
      knownHostsLine(`[127.0.0.1]:${bastion.port}`, jumpHost),
    ].join('\n'),
  }
}

/** An agent with one key that fails to sign (draft-miller-ssh-agent: 12 lists identities, 5 is failure). */
async function brokenAgent(t: TestContext) {
  const { blob } = user
  const agent = { asked: 0 }
  const list = Buffer.alloc(4 + 1 + 4 + 4 + blob.length + 4)
  list.writeUInt32BE(list.length - 4, 0)
  list.writeUInt8(12, 4)
  list.writeUInt32BE(1, 5)
  list.writeUInt32BE(blob.length, 9)
  blob.copy(list, 13)
  const failure = Buffer.from([0, 0, 0, 1, 5])
  const socket = `${engine.path}.agent`
  const listener = net.createServer((connection) => {
    connection.on('error', () => {})
    connection.on('data', (question) => {
      agent.asked += 1
      connection.write(question[4] === 11 ? list : failure)
    })
  })
  await new Promise<void>((resolve) => listener.listen(socket, resolve))
  t.after(() => listener.close())
  return { agent, socket }
}
