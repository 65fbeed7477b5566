// Every kind of SSH server that the way in may meet: what works, and what is said where it does not.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { DeployError, type FailureCode } from '../../src/errors.ts'
import type { SshEndpoint, SshHost } from '../../src/tunnel/endpoint.ts'
import { openTunnel } from '../../src/tunnel/openTunnel.ts'
import type { SshSettings } from '../../src/tunnel/settings.ts'
import { liveBed } from '../support/liveBed.ts'
import { annotations, liveStacks } from '../support/liveStack.ts'
import { RESTRICTED, RESTRICTED_JUMP, startFarm, type Variant } from '../support/sshFarm.ts'

const bed = await liveBed()
const farm = await startFarm(bed)
after(() => farm.stop())

interface Setting {
  readonly at?: Variant
  readonly endpoint?: Partial<SshEndpoint>
  readonly ssh?: Partial<SshSettings>
}

/** Whatever may never be seen in a message. */
const secrets = [
  farm.password,
  ...['user', 'jump', 'locked', 'rsa'].flatMap((name) => farm.file(name).split('\n').slice(2, 4)),
]

async function attempt({ at = 'plain', endpoint, ssh }: Setting) {
  const said: string[] = []
  const say = (text: string): number => said.push(text)
  const target = { kind: 'ssh', user: 'deploy', host: farm.host, port: farm.portOf(at) } as const
  const opening = openTunnel({
    endpoint: { ...target, dockerSocket: '/var/run/docker.sock', ...endpoint },
    ssh: {
      key: farm.file('user'),
      knownHosts: farm.knownHosts,
      knownHostsFile: '/nonexistent/known_hosts',
      fingerprints: [],
      hostKeyCheck: 'strict',
      ...ssh,
    },
    connectTimeoutMs: 30_000,
    warn: say,
    say,
  })
  try {
    const tunnel = await opening
    try {
      const info = await openEngine(tunnel.agent).info()
      assert.equal(info.Swarm.ControlAvailable, true)
      return { said, description: tunnel.description }
    } finally {
      await tunnel.close()
    }
  } catch (error) {
    if (!(error instanceof DeployError)) throw error
    return { said, error }
  } finally {
    for (const secret of secrets) assert.ok(!said.join('\n').includes(secret))
  }
}

const socket = /, unix socket \/var\/run\/docker\.sock$/
const dialStdio = /, docker system dial-stdio$/
const secretive = { user: 'secretive' }
const byPassword = { key: undefined, password: farm.password }
const line = (name: string, host = '*') =>
  `${host === '*' ? '[*]:*' : host} ${farm.file(`${name}.pub`).split(' ').slice(0, 2).join(' ')}`
const jump = (at: Variant, user = 'jumper'): SshHost => ({ user, host: farm.host, port: farm.portOf(at) })
const jumpKey = farm.file('jump')
const inside = { host: '127.0.0.1' }

const works: readonly (readonly [what: string, setting: Setting, way: RegExp])[] = [
  ['OpenSSH as it comes', {}, socket],
  ['an ECDSA key', { ssh: { key: farm.file('ecdsa') } }, socket],
  ['an RSA key', { ssh: { key: farm.file('rsa') } }, socket],
  ['an RSA key where only rsa-sha2-512 is taken', { at: 'rsa512Only', ssh: { key: farm.file('rsa') } }, socket],
  ['an Ed25519 key where only those are taken', { at: 'edOnly' }, socket],
  ['an encrypted key', { ssh: { key: farm.file('locked'), passphrase: farm.password } }, socket],
  ['AllowStreamLocalForwarding no', { at: 'noStream' }, dialStdio],
  ['AllowTcpForwarding no', { at: 'noTcp' }, /docker/],
  ['DisableForwarding yes', { at: 'noForwarding' }, dialStdio],
  ['restrict,command= in authorized_keys', { at: 'restricted' }, dialStdio],
  ['ForceCommand that is dial-stdio', { at: 'forcedDial' }, dialStdio],
  ['ForceCommand that is something else', { at: 'forced' }, socket],
  ['MaxSessions 1, without forwarding', { at: 'oneSession' }, dialStdio],
  ['MaxSessions 0, with forwarding', { at: 'noSessionButStream' }, socket],
  ['MaxStartups 1', { at: 'oneStartup' }, socket],
  ['MaxAuthTries 1', { at: 'oneTry' }, socket],
  ['PermitTTY no', { at: 'noTty' }, socket],
  ['UseDNS yes', { at: 'slowToAsk' }, socket],
  ['a noisy .bashrc, with forwarding', { endpoint: { user: 'noisy' } }, socket],
  ['a user without a shell, with forwarding', { endpoint: { user: 'nologin' } }, socket],
  ['a socket elsewhere', { endpoint: { dockerSocket: '/run/docker.sock' } }, /unix socket \/run\/docker\.sock$/],
  ['a socket elsewhere, by dial-stdio', { at: 'noStream', endpoint: { dockerSocket: '/run/docker.sock' } }, dialStdio],
  ['dropbear', { at: 'dropbear', ssh: { knownHosts: line('host_ed25519') } }, dialStdio],
  ['an RSA host key by rsa-sha2-256', { at: 'rsaHost', ssh: { knownHosts: line('host_rsa') } }, socket],
  ['an ECDSA host key', { at: 'ecdsaHost', ssh: { knownHosts: line('host_ecdsa') } }, socket],
  ['of three host keys the one that is pinned', { at: 'allHosts', ssh: { knownHosts: line('host_ecdsa') } }, socket],
  [
    'a host certificate beside the pinned key',
    { at: 'hostCertificate', ssh: { knownHosts: line('host_ed25519') } },
    socket,
  ],
  ['a ChaCha20 server', { at: 'chacha' }, socket],
  ['a password', { at: 'password', endpoint: secretive, ssh: byPassword }, socket],
  ['a password by keyboard-interactive', { at: 'keyboard', endpoint: secretive, ssh: byPassword }, socket],
  [
    'a password where keys are taken too, with one try only for those who fail',
    { at: 'keysOrPassword', endpoint: secretive, ssh: { key: farm.file('stranger'), password: farm.password } },
    socket,
  ],
  [
    'dropbear and a password',
    { at: 'dropbearPassword', endpoint: secretive, ssh: { ...byPassword, knownHosts: line('host_ed25519') } },
    dialStdio,
  ],
  ['a jump host', { endpoint: inside, ssh: { jumps: [jump('plain')], jumpKey } }, socket],
  [
    'a jump host that opens this one port',
    { endpoint: inside, ssh: { jumps: [jump('restrictedJump')], jumpKey } },
    socket,
  ],
  ['a jump host with ssh-key', { endpoint: inside, ssh: { jumps: [jump('plain', 'deploy')] } }, socket],
  [
    'dropbear as a jump host',
    {
      at: 'edHost',
      endpoint: inside,
      ssh: { jumps: [jump('dropbear', 'deploy')], knownHosts: line('host_ed25519') },
    },
    socket,
  ],
  [
    'two jump hosts, IPv6 from one to the next',
    {
      at: 'edHost',
      endpoint: { host: '::1' },
      ssh: {
        jumps: [jump('noStream'), { ...jump('rsaHost'), host: '::1' }],
        jumpKey,
        knownHosts: [
          line('host_ed25519', `[::1]:${farm.portOf('edHost')}`),
          line('host_rsa', `[::1]:${farm.portOf('rsaHost')}`),
          farm.knownHosts.split('\n')[0]?.replace('[*]:*', `[${farm.host}]:${farm.portOf('noStream')}`),
        ].join('\n'),
      },
    },
    socket,
  ],
  [
    'a password behind a jump host',
    { at: 'password', endpoint: { ...secretive, ...inside }, ssh: { ...byPassword, jumps: [jump('oneTry')], jumpKey } },
    socket,
  ],
]

const fails: readonly (readonly [
  what: string,
  setting: Setting,
  code: FailureCode,
  message: RegExp,
  remedy: RegExp,
])[] = [
  [
    'a user outside the docker group',
    { endpoint: { user: 'nodocker' } },
    'connection',
    /nodocker may not open/,
    /usermod -aG docker nodocker/,
  ],
  [
    'a socket that is not there',
    { endpoint: { dockerSocket: '/run/none.sock' } },
    'connection',
    /nobody answers at \/run\/none\.sock/,
    /`docker-socket`/,
  ],
  [
    'MaxSessions 0 without forwarding',
    { at: 'noSession' },
    'connection',
    /opens no session/,
    /AllowStreamLocalForwarding/,
  ],
  [
    'ForceCommand that is something else, without forwarding',
    { at: 'forcedNoStream' },
    'connection',
    /drowned by other output: "denied"/,
    /AllowStreamLocalForwarding/,
  ],
  [
    'a noisy .bashrc, without forwarding',
    { at: 'noStream', endpoint: { user: 'noisy' } },
    'connection',
    /"Welcome! disk usage 93%"/,
    /\.bashrc/,
  ],
  [
    'a user without a shell, without forwarding',
    { at: 'noStream', endpoint: { user: 'nologin' } },
    'connection',
    /nologin may not run commands/,
    /login shell/,
  ],
  [
    'a key that nobody knows',
    { ssh: { key: farm.file('stranger') } },
    'authentication',
    /refused the key ssh-ed25519 SHA256:\S+; it accepts publickey/,
    /authorized_keys/,
  ],
  ['a denied user', { at: 'denied' }, 'authentication', /as deploy: the server refused the key/, /sshd/],
  [
    'an RSA key where only Ed25519 is taken',
    { at: 'edOnly', ssh: { key: farm.file('rsa') } },
    'authentication',
    /refused the key ssh-rsa/,
    /PubkeyAcceptedAlgorithms/,
  ],
  [
    'a server that takes certificates only',
    { at: 'certificatesOnly' },
    'authentication',
    /refused the key/,
    /authorized_keys/,
  ],
  [
    'a user certificate as key',
    { ssh: { key: farm.file('user-cert.pub') } },
    'authentication',
    /is a user certificate/,
    /authorized_keys/,
  ],
  [
    'a public key as key',
    { ssh: { key: farm.file('user.pub') } },
    'authentication',
    /is a public key/,
    /without `\.pub`/,
  ],
  [
    'an encrypted key without passphrase',
    { ssh: { key: farm.file('locked') } },
    'authentication',
    /is encrypted/,
    /ssh-key-passphrase/,
  ],
  [
    'a wrong passphrase',
    { ssh: { key: farm.file('locked'), passphrase: 'wrong' } },
    'authentication',
    /passphrase is wrong/,
    /ssh-keygen -y/,
  ],
  [
    'a key where only passwords are taken',
    { at: 'password' },
    'authentication',
    /accepts no keys, only password/,
    /`ssh-password`/,
  ],
  [
    'a password where only keys are taken',
    { ssh: byPassword },
    'authentication',
    /accepts no passwords, only publickey/,
    /`ssh-key`/,
  ],
  [
    'a wrong password',
    { at: 'password', endpoint: secretive, ssh: { ...byPassword, password: 'wrong horse' } },
    'authentication',
    /refused the password/,
    /`ssh-password`/,
  ],
  [
    'a wrong password by keyboard-interactive',
    { at: 'keyboard', endpoint: secretive, ssh: { ...byPassword, password: 'wrong horse' } },
    'authentication',
    /refused the password/,
    /`ssh-password`/,
  ],
  [
    'key and password wanted, key given',
    { at: 'keyAndPassword' },
    'authentication',
    /took the key, but wants password as well/,
    /`ssh-password`/,
  ],
  [
    'key and keyboard-interactive wanted, key given',
    { at: 'keyAndKeyboard' },
    'authentication',
    /took the key, but wants keyboard-interactive as well/,
    /`ssh-password`/,
  ],
  [
    'key and password wanted, the password wrong',
    { at: 'keyAndPassword', ssh: { password: 'wrong horse' } },
    'authentication',
    /took the key, but refused the password/,
    /`ssh-password`/,
  ],
  [
    'a server with ciphers of old alone',
    { at: 'cbc' },
    'connection',
    /No SSH handshake .* no matching C->S cipher/,
    /current SSH server/,
  ],
  [
    'no key exchange in common',
    { at: 'oldKex' },
    'connection',
    /No SSH handshake .* no matching key exchange/,
    /current SSH server/,
  ],
  [
    'another host key',
    { at: 'edHost' },
    'host-key',
    /is not the pinned one: it offered ED25519 SHA256:\S+, but pinned is ED25519 SHA256:.* Line to pin it: \[\S+\]:\d+ ssh-ed25519 /,
    /Compare first/,
  ],
  [
    'a host key that is not known',
    { ssh: { knownHosts: line('host_ed25519', 'elsewhere') } },
    'host-key',
    /is not known: it offered ED25519/,
    /`host-fingerprint`/,
  ],
  [
    'a revoked host key',
    { at: 'edHost', ssh: { knownHosts: `@revoked * ${line('host_ed25519').split(' ').slice(1).join(' ')}` } },
    'host-key',
    /is revoked/,
    /Do not connect/,
  ],
  [
    'a certificate authority alone',
    { at: 'hostCertificate', ssh: { knownHosts: `@cert-authority ${line('ca')}` } },
    'host-key',
    /@cert-authority line 1 can't be used.* Line to pin it: /,
    /`known-hosts`/,
  ],
  [
    "one's own key pinned as the host's",
    { ssh: { knownHosts: line('user') } },
    'host-key',
    /is the public half of the key that you log in with/,
    /Compare first/,
  ],
  [
    "one's own public key as known host",
    { ssh: { knownHosts: farm.file('user.pub') } },
    'host-key',
    /bare ssh-ed25519 public key/,
    /authorized_keys/,
  ],
  [
    "the jump host's key pinned, not the manager's",
    { at: 'edHost', endpoint: inside, ssh: { jumps: [jump('plain')], jumpKey } },
    'host-key',
    /The host key of \[127\.0\.0\.1\]:\d+ is not the pinned one/,
    /Compare first/,
  ],
  [
    "the manager's key pinned, not the jump host's",
    { endpoint: inside, ssh: { jumps: [jump('edHost')], jumpKey } },
    'host-key',
    /is not the pinned one/,
    /Compare first/,
  ],
  [
    'a jump host that does not know the key',
    { endpoint: inside, ssh: { jumps: [jump('plain')], jumpKey: farm.file('stranger') } },
    'authentication',
    /as jumper: the server refused the key/,
    /`jump-host`/,
  ],
  [
    'a jump host that takes passwords only',
    { endpoint: inside, ssh: { jumps: [jump('jumpByPassword', 'secretive')], jumpKey, password: farm.password } },
    'authentication',
    /accepts no keys, only password/,
    /PubkeyAuthentication/,
  ],
  [
    'a jump host that forwards nothing',
    { endpoint: inside, ssh: { jumps: [jump('noTcp')], jumpKey } },
    'connection',
    /does not forward for jumper/,
    /AllowTcpForwarding/,
  ],
  [
    'a jump host that forwards elsewhere',
    { endpoint: inside, ssh: { jumps: [jump('permitOpen')], jumpKey } },
    'connection',
    /does not forward for jumper/,
    /PermitOpen/,
  ],
  [
    'dropbear that forwards nothing as a jump host',
    {
      at: 'edHost',
      endpoint: inside,
      ssh: { jumps: [jump('dropbearNoForwarding', 'deploy')], knownHosts: line('host_ed25519') },
    },
    'connection',
    /does not forward for deploy/,
    /port-forwarding/,
  ],
  [
    'a manager that the jump host cannot reach',
    { endpoint: { ...inside, port: 9 }, ssh: { jumps: [jump('plain')], jumpKey } },
    'connection',
    /did not open a connection to 127\.0\.0\.1:9: Connection refused/,
    /nc -z 127\.0\.0\.1 9/,
  ],
  [
    'a jump host that is not there',
    { endpoint: inside, ssh: { jumps: [{ ...jump('plain'), port: 9 }], jumpKey } },
    'connection',
    /refused, nobody listens there/,
    /port in `jump-host`/,
  ],
  [
    'a key behind a jump host that nobody knows',
    { endpoint: inside, ssh: { jumps: [jump('plain')], jumpKey, key: farm.file('stranger') } },
    'authentication',
    /through the jump host \S+ as deploy: the server refused the key/,
    /authorized_keys/,
  ],
]

describe('what works', { concurrency: 6 }, () => {
  for (const [what, setting, way] of works) {
    test(what, async () => {
      const { error, description } = await attempt(setting)
      assert.equal(error, undefined, `${error?.message}`)
      assert.match(description ?? '', way)
    })
  }
})

/** What was said, as docs/connection.md shows it: names of example hosts in place of the farm's, keys shortened. */
const told: string[] = []

function asShown({ message, remedy }: DeployError): string {
  const text = `Error: ${message}\n→ ${remedy}`
  return text
    .replaceAll(/SHA256:[\w+/]{43}/g, 'SHA256:…')
    .replaceAll(/AAAA[\w+/]{40,}=*/g, 'AAAA…')
    .replaceAll(/\[127\.0\.0\.1\]:2\d+/g, '10.0.0.11')
    .replaceAll(/127\.0\.0\.1:2\d+/g, '10.0.0.11:22')
    .replaceAll(/127\.0\.0\.1/g, '10.0.0.11')
    .replaceAll(new RegExp(`he jump host ([[]?)${farm.host}`, 'g'), 'he jump host $1bastion.example.com')
    .replaceAll(`jumper@${farm.host}`, 'jumper@bastion.example.com')
    .replaceAll(`by ${farm.host}`, 'by bastion.example.com')
    .replaceAll(/\[([\w.]+)\]:2\d+/g, '$1')
    .replaceAll(farm.host, 'swarm.example.com')
    .replaceAll(/example\.com:2\d+/g, 'example.com:22')
}

describe('what does not, and why', { concurrency: 6 }, () => {
  for (const [what, setting, code, message, remedy] of fails) {
    test(what, async () => {
      const { error, description } = await attempt(setting)
      assert.ok(error, `it opened: ${description}`)
      told.push(asShown(error))
      assert.match(error.message, message)
      assert.equal(error.code, code, error.message)
      assert.match(error.remedy ?? '', remedy)
      for (const secret of secrets) assert.ok(!`${error.message} ${error.remedy}`.includes(secret))
    })
  }
})

test('docs/connection.md shows what is said', () => {
  const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/connection.md'), 'utf8')
  // What is said when a connection breaks is held in reconnect.test.ts.
  const opening = page.slice(0, page.indexOf('## When the connection breaks'))
  const shown = [...opening.matchAll(/^```text\n(Error: [\s\S]*?)\n```$/gm)].map(([, text = '']) => text)
  assert.ok(shown.length >= 5)
  for (const options of [RESTRICTED, RESTRICTED_JUMP.replace('127.0.0.1:2310', '10.0.0.11:22')]) {
    assert.ok(page.includes(`${options} ssh-ed25519 `), options)
  }
  const known = told.map((text) => text.replaceAll(/\s+/g, ' '))
  for (const text of shown) assert.ok(known.includes(text.replaceAll(/\s+/g, ' ')), `nobody says: ${text}`)
})

test('a banner is shown on one line, without what commands a terminal or hides text', async () => {
  const { said } = await attempt({ at: 'banner' })
  assert.deepEqual(said, [
    `Banner of ${farm.host}:${farm.portOf('banner')}: [2JAuthorised users only; ::error::not a command`,
  ])
})

test('no jump host is ever offered the password, whatever it asks for', async () => {
  const log = await farm.logOf('jumpByPassword')
  assert.match(log, /secretive/)
  assert.doesNotMatch(log, /(?:Failed|Accepted) (?:password|keyboard)/)
})

test('a fingerprint of whichever key pins the host', async () => {
  for (const name of ['host_ed25519', 'host_rsa', 'host_ecdsa']) {
    const shown = execFileSync('ssh-keygen', ['-lf', '-'], { input: farm.file(`${name}.pub`), encoding: 'utf8' })
    const fingerprint = shown.split(' ')[1] ?? ''
    const pin = { host: farm.host, port: farm.portOf('allHosts'), fingerprint }
    const { error } = await attempt({ at: 'allHosts', ssh: { knownHosts: '#', fingerprints: [pin] } })
    assert.equal(error, undefined, error?.message)
  }
})

describe('the whole action', { concurrency: 3 }, () => {
  const stack = liveStacks(bed, 'ways')
  const manifest = 'services:\n  web:\n    image: tb/ok:1\n    stop_grace_period: 1s\n'
  const address = (at: Variant, user = 'deploy', host = farm.host): string => `ssh://${user}@${host}:${farm.portOf(at)}`
  const given = { 'ssh-key': farm.file('user'), 'known-hosts': farm.knownHosts, wait: 'false' }

  test('the first good manager of several, and a host key that was not the pinned one stays visible', async (t) => {
    const result = await stack(t, 'third').deploy(manifest, {
      ...given,
      host: `ssh://deploy@${farm.host}:9\n${address('edHost')}\n${address('plain')}\n${address('banner')}`,
    })
    assert.equal(result.outputs.status, 'deployed', result.log)
    assert.equal(result.outputs.manager, '3 manager')
    assert.match(result.log, /Manager 1 of 4, ssh:\/\/deploy@\S+:9, is not used: .*nobody listens there/)
    assert.match(result.log, /Manager 2 of 4, ssh:\/\/\S+, is not used: The host key of \S+ is not the pinned one/)
    const [warning = '', ...more] = annotations(result, 'warning').filter((text) => text.includes('host key'))
    assert.deepEqual(more, [])
    assert.match(warning, /was not used: The host key of .* is not the pinned one: .*\n→ Either the server got a new/)
    assert.doesNotMatch(result.log, /Banner of/)
  })

  test('where no manager is good, each has its reason and its remedy', async (t) => {
    const { deploy, objects } = stack(t, 'none')
    const result = await deploy(manifest, {
      ...given,
      host: `ssh://deploy@${farm.host}:9\n${address('edHost')}\n${address('plain', 'nobody-here')}`,
    })
    assert.equal(result.code, 1)
    assert.equal(result.outputs.status, 'refused')
    assert.equal(result.outputs['failure-reason'], 'host-key')
    assert.match(result.outputs['failure-message'] ?? '', /None of the 3 managers in `host` could be used/)
    const errors = annotations(result, 'error')
    assert.equal(errors.length, 3, errors.join('\n'))
    for (const [index, words] of [/nobody listens there/, /not the pinned one/, /as nobody-here/].entries()) {
      assert.match(errors[index] ?? '', words)
      assert.match(errors[index] ?? '', /\n→ \S/)
    }
    assert.deepEqual(await objects(), {})
  })

  test('a password behind a jump host, and neither password nor keys in the log', async (t) => {
    const inputs = {
      ...given,
      host: address('password', 'secretive', '127.0.0.1'),
      'ssh-key': '',
      'ssh-password': farm.password,
      'jump-host': address('banner', 'jumper'),
      'jump-ssh-key': farm.file('jump').replaceAll('\n', '\r\n'),
    }
    const result = await stack(t, 'password').deploy(manifest, inputs)
    assert.equal(result.outputs.status, 'deployed', result.log)
    assert.match(result.log, /Banner of the jump host \S+: \[2JAuthorised users only; : :error: :not a command/)
    const wrong = await stack(t, 'wrong').deploy(manifest, { ...inputs, 'ssh-password': 'wrong horse' })
    assert.equal(wrong.outputs['failure-reason'], 'authentication', wrong.log)
    for (const told of [result.log, result.summary, wrong.log, wrong.summary, JSON.stringify(wrong.outputs)]) {
      for (const secret of [...secrets, 'wrong horse']) assert.ok(!told.includes(secret))
    }
  })

  test('a pinned fingerprint for each of jump host and manager', async (t) => {
    const print = (text: string): string =>
      execFileSync('ssh-keygen', ['-lf', '-'], { input: text, encoding: 'utf8' }).split(' ')[1] ?? ''
    const own = farm.knownHosts.split('\n')[0]?.split(' ').slice(1).join(' ') ?? ''
    const result = await stack(t, 'prints').deploy(manifest, {
      ...given,
      host: address('edHost', 'deploy', 'localhost'),
      'known-hosts': '',
      'host-fingerprint': `localhost:${farm.portOf('edHost')} ${print(farm.file('host_ed25519.pub'))}\n${farm.host}:${farm.portOf('plain')} ${print(own)}`,
      'jump-host': address('plain', 'jumper'),
      'jump-ssh-key': farm.file('jump'),
    })
    assert.equal(result.outputs.status, 'deployed', result.log)
  })
})
