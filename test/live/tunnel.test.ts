import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { DeployError, type FailureCode } from '../../src/errors.ts'
import type { SshEndpoint } from '../../src/tunnel/endpoint.ts'
import { openTunnel } from '../../src/tunnel/openTunnel.ts'
import type { SshSettings } from '../../src/tunnel/settings.ts'
import type { Tunnel } from '../../src/tunnel/tunnel.ts'
import { type Bed, startBed } from '../support/bed.mjs'

/** Further sshds of the manager, each with what it does differently; OpenSSH takes the first value of a keyword. */
const variants = {
  noForwarding: [2201, 'AllowStreamLocalForwarding no'],
  oneSession: [2202, 'AllowStreamLocalForwarding no\nMaxSessions 1'],
  noSession: [2203, 'AllowStreamLocalForwarding no\nMaxSessions 0'],
  forced: [2204, 'AuthorizedKeysFile /etc/bed/forced_keys'],
  passwords: [2205, 'PubkeyAuthentication no\nPasswordAuthentication yes'],
  otherKeys: [2206, 'HostKey /etc/bed/host_rsa\nHostKey /etc/bed/host_ecdsa'],
  secondFactor: [2207, 'PasswordAuthentication yes\nAuthenticationMethods publickey,password'],
  banner: [2208, 'Banner /etc/passwd\nMaxAuthTries 1'],
} as const
type Variant = keyof typeof variants

const secret = 'correct horse'
let bed: Bed
let key: string
let hostKey: string
/** Key files of the test's own, in the bed's folder. */
let file: (name: string) => string

before(async () => {
  bed = await startBed({ name: `live-tunnel-${process.pid}` })
  key = fs.readFileSync(bed.keyFile, 'utf8')
  hostKey = fs.readFileSync(bed.knownHostsFile, 'utf8').trim().split(' ').slice(1).join(' ')
  file = (name) => path.join(bed.dir, name)
  const keygen = (name: string, args: readonly string[], passphrase = '') =>
    execFileSync('ssh-keygen', ['-q', '-N', passphrase, '-f', file(name), ...args])
  keygen('locked', ['-t', 'ed25519'], secret)
  keygen('rsa', ['-t', 'rsa', '-b', '2048', '-m', 'PEM'])
  keygen('stranger', ['-t', 'ed25519'])
  const users = ['locked', 'rsa'].map((name) => fs.readFileSync(file(`${name}.pub`), 'utf8')).join('')
  const own = fs.readFileSync(`${bed.keyFile}.pub`, 'utf8')
  await inBed('cat >> /etc/bed/authorized_keys', users)
  await inBed('cat > /etc/bed/forced_keys', `restrict,command="docker system dial-stdio" ${own}`)
  await inBed(
    "ssh-keygen -q -t rsa -b 2048 -N '' -f /etc/bed/host_rsa; ssh-keygen -q -t ecdsa -N '' -f /etc/bed/host_ecdsa",
  )
  for (const [port, lines] of Object.values(variants)) {
    const ownKeys = lines.includes('HostKey') ? '|^HostKey ' : ''
    const config = `/etc/bed/sshd_${port}`
    await inBed(
      `{ cat; grep -vE '^(Port|PidFile) ${ownKeys}' /etc/bed/sshd_config; } > ${config} && "$(command -v sshd || echo /usr/sbin/sshd)" -f ${config} -E ${config}.log`,
      `Port ${port}\nPidFile none\n${lines}\n`,
    )
  }
})
after(() => bed.stop())

async function inBed(script: string, input = ''): Promise<string> {
  const { code, stdout, stderr } = await bed.shell(['sh', '-c', script], { input })
  assert.equal(code, 0, stderr)
  return stdout
}

interface Setting {
  readonly at?: Variant
  readonly endpoint?: Partial<SshEndpoint>
  readonly ssh?: Partial<SshSettings>
}

function open({ at, endpoint, ssh }: Setting = {}): Promise<Tunnel> {
  const port = at === undefined ? bed.sshPort : variants[at][0]
  return openTunnel({
    endpoint: { kind: 'ssh', user: bed.user, host: bed.host, port, dockerSocket: '/var/run/docker.sock', ...endpoint },
    ssh: { key, knownHostsFile: bed.knownHostsFile, fingerprints: [], hostKeyCheck: 'strict', ...ssh },
    connectTimeoutMs: 10_000,
    warn: () => {},
  })
}

async function works(setting: Setting = {}, description = /unix socket \/var\/run\/docker\.sock$/): Promise<void> {
  const tunnel = await open(setting)
  try {
    const info = await openEngine(tunnel.agent).info()
    assert.equal(info.Swarm.ControlAvailable, true)
    assert.match(tunnel.description, description)
  } finally {
    await tunnel.close()
  }
}

async function fails(setting: Setting, code: FailureCode, message: RegExp, remedy: RegExp): Promise<void> {
  const error = await open(setting).then(
    async (tunnel) => {
      await tunnel.close()
      assert.fail('it opened')
    },
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DeployError, String(error))
  assert.equal(error.code, code, error.message)
  assert.match(error.message, message)
  assert.match(error.remedy ?? '', remedy)
  const told = `${error.message} ${error.remedy}`
  assert.ok(!told.includes(secret) && !told.includes(key.split('\n')[2] ?? ''), told)
}

const dialStdio = /docker system dial-stdio$/

test('the plain way: straight to the socket, as a user of the docker group', () => works())
test('as root', () => works({ endpoint: { user: 'root' } }))
test('no forwarding: docker system dial-stdio', () => works({ at: 'noForwarding' }, dialStdio))
test('a key that may only run dial-stdio', () => works({ at: 'forced' }, dialStdio))
test('a banner, and a single try to log in', () => works({ at: 'banner' }))
test('a key with a passphrase', () =>
  works({ ssh: { key: fs.readFileSync(file('locked'), 'utf8'), passphrase: secret } }))
test('an RSA key in the PEM form, with CRLF', () =>
  works({ ssh: { key: fs.readFileSync(file('rsa'), 'utf8').replaceAll('\n', '\r\n') } }))
test('a key without its final newline, indented', () => works({ ssh: { key: key.trimEnd().replace(/^/gm, '  ') } }))
test('a key through the ssh agent', async () => {
  const socket = file('agent.sock')
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
  try {
    while (!fs.existsSync(socket)) await new Promise((resolve) => setTimeout(resolve, 20))
    await fails({ ssh: { key: undefined, agentSocket: socket } }, 'authentication', /holds no key/, /ssh-key/)
    execFileSync('ssh-add', ['-q', file('stranger')], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
    await fails(
      { ssh: { key: undefined, agentSocket: socket } },
      'authentication',
      /refused all 1 keys/,
      /authorized_keys/,
    )
    execFileSync('ssh-add', ['-q', bed.keyFile], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
    await works({ ssh: { key: undefined, agentSocket: socket } })
  } finally {
    agent.kill()
  }
})

test('one session at a time is enough for many calls', async () => {
  const tunnel = await open({ at: 'oneSession' })
  const engine = openEngine(tunnel.agent)
  const answers = await Promise.all(Array.from({ length: 20 }, () => engine.info()))
  assert.equal(answers.length, 20)
  await tunnel.close()
})

test('twenty calls at once: one SSH connection', async () => {
  const tunnel = await open()
  const engine = openEngine(tunnel.agent)
  await Promise.all(Array.from({ length: 20 }, () => engine.listServices()))
  const connections = await inBed('ss -Htn state established sport = :22 | wc -l')
  assert.equal(Number(connections), 1)
  await tunnel.close()
})

test('known hosts: hashed, with a port, in another kind of key', async () => {
  const hashed = file('hashed')
  fs.copyFileSync(bed.knownHostsFile, hashed)
  execFileSync('ssh-keygen', ['-H', '-f', hashed], { stdio: 'ignore' })
  assert.match(fs.readFileSync(hashed, 'utf8'), /^\|1\|/)
  await works({ ssh: { knownHostsFile: hashed } })
  await works({ at: 'banner', ssh: { knownHosts: `[${bed.host}]:2208 ${hostKey}` } })
  for (const kind of ['rsa', 'ecdsa']) {
    const line = `[${bed.host}]:2206 ${await inBed(`cat /etc/bed/host_${kind}.pub`)}`
    await works({ at: 'otherKeys', ssh: { knownHosts: line } })
  }
})

test('fingerprints as ssh-keygen prints them, of each kind of key', async () => {
  for (const kind of ['rsa', 'ecdsa']) {
    const fingerprint = (await inBed(`ssh-keygen -lf /etc/bed/host_${kind}.pub`)).split(' ')[1] ?? ''
    await works({
      at: 'otherKeys',
      ssh: { knownHosts: '#', fingerprints: [{ host: bed.host, port: 2206, fingerprint }] },
    })
  }
})

test('host keys that are not the pinned one, not known, revoked', async () => {
  const name = bed.host.replaceAll('.', '\\.')
  await fails(
    { at: 'otherKeys' },
    'host-key',
    new RegExp(`\\[${name}\\]:2206 is not the pinned one: it offered ECDSA SHA256:`),
    /Compare first/,
  )
  await fails(
    { ssh: { knownHosts: 'other ssh-ed25519 AAAA' } },
    'host-key',
    new RegExp(`${name} is not known.*Line to pin it: ${name} ssh-ed25519 AAAA`),
    /known-hosts/,
  )
  await fails({ ssh: { knownHosts: `@revoked * ${hostKey}` } }, 'host-key', /is revoked/, /Do not connect/)
  await fails(
    { ssh: { knownHosts: fs.readFileSync(`${bed.keyFile}.pub`, 'utf8') } },
    'host-key',
    /bare ssh-ed25519 public key/,
    /authorized_keys/,
  )
})

test('logins that are refused', async () => {
  const locked = fs.readFileSync(file('locked'), 'utf8')
  await fails(
    { endpoint: { user: 'nosuch' } },
    'authentication',
    /log in to .* as nosuch: the server refused the key ssh-ed25519 SHA256:.*; it accepts publickey/,
    /~nosuch/,
  )
  await fails(
    { ssh: { key: fs.readFileSync(file('stranger'), 'utf8') } },
    'authentication',
    /refused the key/,
    /authorized_keys/,
  )
  await fails({ ssh: { key: locked } }, 'authentication', /is encrypted/, /ssh-key-passphrase/)
  await fails({ ssh: { key: locked, passphrase: 'wrong' } }, 'authentication', /passphrase is wrong/, /ssh-keygen -y/)
  await fails({ at: 'passwords' }, 'authentication', /accepts no keys, only password/, /`ssh-password`/)
  await fails(
    { at: 'secondFactor' },
    'authentication',
    /took the key, but wants password as well/,
    /AuthenticationMethods/,
  )
})

test('ways in that are closed', async () => {
  await fails({ endpoint: { port: 2299 } }, 'connection', /refused, nobody listens there/, /sshd listens/)
  await fails(
    { endpoint: { dockerSocket: '/run/none.sock' } },
    'connection',
    /nobody answers at \/run\/none\.sock/,
    /docker-socket/,
  )
  await fails(
    { endpoint: { user: 'nodocker' } },
    'connection',
    /nodocker may not open \/var\/run\/docker\.sock/,
    /usermod -aG docker nodocker/,
  )
  await fails({ at: 'noSession' }, 'connection', /opens no session/, /AllowStreamLocalForwarding/)
  await inBed('echo "echo Welcome" > /run/home/root/.bashrc')
  await fails({ at: 'noForwarding', endpoint: { user: 'root' } }, 'connection', /other output: "Welcome/, /\.bashrc/)
  await works({ endpoint: { user: 'root' } })
  await inBed('rm /run/home/root/.bashrc')
})

test('a connection killed in the middle of a call ends that call at once', async () => {
  const tunnel = await open()
  const engine = openEngine(tunnel.agent)
  await engine.info()
  const streaming = new Promise((_resolve, reject) => {
    const request = http.get({ agent: tunnel.agent, host: 'docker', path: '/events' }, (response) => {
      response.resume().once('error', reject)
      inBed(`pkill -KILL -f '^sshd: ${bed.user}'`).catch(reject)
    })
    request.once('error', reject)
  })
  const began = Date.now()
  await assert.rejects(streaming, /was lost|aborted/)
  assert.ok(Date.now() - began < 3_000)
  await assert.rejects(engine.info(), {
    name: 'EngineError',
    kind: 'connection',
    message: /SSH connection to .* was lost/,
  })
  await tunnel.close()
})

test('a process that closed its tunnel ends by itself', async () => {
  const script = `
    import fs from 'node:fs'
    import { openTunnel } from ${JSON.stringify(path.resolve(import.meta.dirname, '../../src/tunnel/openTunnel.ts'))}
    import { openEngine } from ${JSON.stringify(path.resolve(import.meta.dirname, '../../src/engine/dockerEngine.ts'))}
    const bed = JSON.parse(process.argv[1])
    const tunnel = await openTunnel({
      endpoint: { kind: 'ssh', user: bed.user, host: bed.host, port: bed.sshPort, dockerSocket: '/var/run/docker.sock' },
      ssh: { key: fs.readFileSync(bed.keyFile, 'utf8'), knownHostsFile: bed.knownHostsFile, fingerprints: [], hostKeyCheck: 'strict' },
      connectTimeoutMs: 60_000, warn: console.error,
    })
    console.log((await openEngine(tunnel.agent).info()).Name)
    await tunnel.close()`
  const { user, host, sshPort, keyFile, knownHostsFile } = bed
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script, JSON.stringify({ user, host, sshPort, keyFile, knownHostsFile })],
    { timeout: 15_000 },
  )
  assert.equal(stdout, 'manager\n')
  assert.equal(stderr, '')
})
