// Engines that listen on a port themselves: a real dockerd with --tlsverify, and the bed's engine behind certificates of every kind.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { DeployError, type FailureCode } from '../../src/errors.ts'
import { openTunnel } from '../../src/tunnel/openTunnel.ts'
import type { SshSettings, TlsSettings } from '../../src/tunnel/settings.ts'
import { createAuthority } from '../support/certificates.ts'
import { openFaultProxy } from '../support/faultProxy.ts'
import { liveBed } from '../support/liveBed.ts'
import { changesOf, liveStacks, reach } from '../support/liveStack.ts'
import { startTlsEngine, tlsInFront } from '../support/tlsEngine.ts'

const bed = await liveBed()
const [authority, other] = [createAuthority('the engine'), createAuthority('somebody else')]
const client = authority.issue({})
const stranger = other.issue({})
const PORT = 2390
const engine = await startTlsEngine(bed, PORT, {
  ca: authority.cert,
  ...authority.issue({ names: `IP:${bed.host},DNS:manager` }),
})
after(() => engine.stop())

const material: TlsSettings = { ca: authority.cert, ...client }

/** What was said so far. */
const messages: string[] = []

async function attempt(port: number, tls: TlsSettings | undefined, host = '127.0.0.1', ssh?: SshSettings) {
  try {
    const tunnel = await openTunnel({
      endpoint: { kind: 'tcp', host, port },
      tls,
      ssh,
      connectTimeoutMs: 20_000,
      warn: assert.fail,
    })
    const infos = await Promise.all(Array.from({ length: 12 }, () => openEngine(tunnel.agent).info()))
    await tunnel.close()
    return { description: tunnel.description, name: infos[0]?.Name }
  } catch (error) {
    if (!(error instanceof DeployError)) throw error
    messages.push(`${error.code} ${error.message}`)
    const told = `${error.message} ${error.remedy}`
    for (const line of [client.key, stranger.key].flatMap((key) => key.split('\n').slice(1, 3))) {
      assert.ok(!told.includes(line))
    }
    return { error }
  }
}

/** The bed's engine behind a server certificate. */
const behind = (t: TestContext, names: string, days?: number, by = authority) =>
  tlsInFront(t, bed.socket, { ca: authority.cert, ...by.issue({ names, ...(days !== undefined && { days }) }) })

const damaged = authority.cert.replace(/(?<=CERTIFICATE-----\n)[\s\S]{40}/, '')
const rows: readonly (readonly [
  what: string,
  tls: Partial<TlsSettings> | undefined,
  code: FailureCode,
  message: RegExp,
  remedy: RegExp,
  names?: string,
  days?: number,
])[] = [
  [
    'a client certificate that is hung up on',
    stranger,
    'connection',
    /hung up, as some do that do not take the certificate/,
    /tlscacert/,
  ],
  [
    'a server certificate of another authority',
    { ca: other.cert },
    'host-key',
    /not signed by the authority in `tls-ca`/,
    /another machine answers/,
  ],
  [
    'a server certificate for another name',
    {},
    'host-key',
    /for another name: .*10\.9\.9\.9/,
    /issue one for 127\.0\.0\.1/,
    'IP:10.9.9.9',
  ],
  ['a server certificate that expired', {}, 'host-key', /has expired/, /Issue a new certificate/, 'IP:127.0.0.1', -1],
  [
    'a client certificate that expired',
    authority.issue({ days: -1 }),
    'authentication',
    /`tls-cert` can't be used: its certificate expired on /,
    /Issue a new one/,
  ],
  [
    'the key of another certificate',
    { key: stranger.key },
    'authentication',
    /`tls-key` can't be used: it is not the key of the certificate/,
    /-pubkey/,
  ],
  [
    'a certificate in place of the key',
    { key: client.cert },
    'authentication',
    /`tls-key` can't be used: it is a certificate/,
    /key\.pem/,
  ],
  [
    'a key in place of the certificate',
    { cert: client.key },
    'authentication',
    /`tls-cert` can't be used: it is a private key/,
    /cert\.pem/,
  ],
  [
    'a path in place of the text',
    { ca: './ca.pem' },
    'authentication',
    /`tls-ca` can't be used: it is no certificate in PEM/,
    /ca\.pem/,
  ],
  [
    'a damaged certificate',
    { ca: damaged },
    'authentication',
    /`tls-ca` can't be used: its certificate is damaged/,
    /ca\.pem/,
  ],
]

describe('certificates', { concurrency: 4 }, () => {
  for (const [what, tls, code, message, remedy, names = 'IP:127.0.0.1', days] of rows) {
    test(what, async (t) => {
      const { error } = await attempt(await behind(t, names, days), { ...material, ...tls })
      assert.ok(error)
      assert.match(error.message, message)
      assert.equal(error.code, code)
      assert.match(error.remedy ?? '', remedy)
    })
  }
})

describe('dockerd with --tlsverify', { concurrency: 4 }, () => {
  test('takes a client of its authority, also with damaged line ends', async () => {
    const crlf = Object.fromEntries(
      Object.entries(material).map(([name, pem]) => [name, pem.replaceAll('\n', '\r\n  ')]),
    )
    for (const tls of [material, { ...material, ...crlf }]) {
      const { description, error } = await attempt(PORT, tls, bed.host)
      assert.equal(error, undefined, error?.message)
      assert.equal(description, `tcp://${bed.host}:${PORT} with TLS`)
    }
  })

  test('refuses a client of another', async () => {
    const { error } = await attempt(PORT, { ...material, ...stranger }, bed.host)
    assert.equal(error?.code, 'authentication')
    assert.match(error?.message ?? '', /the server does not take the certificate in `tls-cert`/)
  })

  test('answers nothing in the clear', async () => {
    const { error } = await attempt(PORT, undefined, bed.host)
    assert.match(error?.message ?? '', /no Docker engine answers in the clear there/)
    assert.match(error?.remedy ?? '', /`tls-ca`, `tls-cert` and `tls-key`/)
  })
})

test('the runner cannot switch the check of the certificate off', async (t) => {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.after(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
  })
  const { error } = await attempt(await behind(t, 'IP:127.0.0.1', 2, other), material)
  assert.equal(error?.code, 'host-key', error?.message)
})

test('a port that speaks no TLS, and one where nobody listens', async (t) => {
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as net.AddressInfo
  assert.match((await attempt(port, material)).error?.message ?? '', /speaks no TLS/)
  assert.match((await attempt(9, material)).error?.message ?? '', /tcp:\/\/127\.0\.0\.1:9: .*nobody listens there/)
})

test('docs/connection.md shows what is said', () => {
  const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/connection.md'), 'utf8')
  const [, table = ''] = page.split('| message ')
  const rows = [...table.matchAll(/^\| (.*?) +\| `([a-z-]+)` +\|$/gm)]
  assert.ok(rows.length >= 5)
  for (const [, message = '', code = ''] of rows) {
    assert.ok(
      messages.some((one) => one.startsWith(code) && one.includes(message)),
      message,
    )
  }
})

test('loopback needs no TLS', async (t) => {
  const server = net.createServer((near) => {
    const far = net.connect(bed.socket)
    for (const one of [near, far])
      one.on('error', () => {}).on('close', () => [near, far].map((each) => each.destroy()))
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { description, name } = await attempt((server.address() as net.AddressInfo).port, undefined)
  assert.match(description ?? '', /^tcp:\/\/127\.0\.0\.1:\d+, unencrypted$/)
  assert.equal(name, 'manager')
})

describe('a port behind a jump host', { concurrency: true }, () => {
  const known = reach(bed)['known-hosts'] ?? ''
  const ssh: SshSettings = {
    jumpKey: reach(bed)['ssh-key'],
    knownHosts: known,
    knownHostsFile: '/nowhere',
    fingerprints: [],
    hostKeyCheck: 'strict',
    jumps: [{ user: bed.user, host: bed.host, port: bed.sshPort }],
  }

  test('with TLS: the certificate is checked against the name in `host`', async () => {
    const { description, error } = await attempt(PORT, material, bed.host, ssh)
    assert.equal(error, undefined, error?.message)
    assert.equal(description, `tcp://${bed.host}:${PORT} through the jump host ${bed.host}:${bed.sshPort} with TLS`)
    const wrong = await attempt(PORT, material, '127.0.0.1', ssh)
    assert.equal(wrong.error?.code, 'host-key', wrong.error?.message)
  })

  test('where nobody listens, it says so', async () => {
    const { error } = await attempt(9, material, '127.0.0.1', ssh)
    assert.equal(error?.code, 'connection')
    assert.match(error?.message ?? '', /The jump host \S+ did not open a connection to 127\.0\.0\.1:9: /)
  })

  test("the jump host's own loopback needs no TLS; a lost connection is made anew", async (t) => {
    // The bed's engine on a port of the manager that only the manager itself can reach.
    const port = 2391
    const relay = `const net = require('node:net')
      net.createServer((near) => {
        const far = net.connect('/var/run/docker.sock')
        for (const one of [near, far]) one.on('error', () => {}).on('close', () => { near.destroy(); far.destroy() })
        near.pipe(far).pipe(near)
      }).listen(${port}, '127.0.0.1')`
    const pidFile = `/run/relay-${port}`
    const started = await bed.shell([
      'bash',
      '-c',
      `"$0" -e "$1" >/dev/null 2>&1 </dev/null & echo $! >${pidFile}; for _ in $(seq 100); do (: </dev/tcp/127.0.0.1/${port}) 2>/dev/null && exit 0; sleep 0.1; done; exit 1`,
      process.execPath,
      relay,
    ])
    t.after(() => bed.shell(['bash', '-c', `kill "$(cat ${pidFile})"; rm ${pidFile}`]))
    assert.equal(started.code, 0, started.stderr)

    const proxy = await openFaultProxy({ host: bed.host, port: bed.sshPort }, [])
    t.after(() => proxy.close())
    const { start } = liveStacks(bed, 'tls')(t, 'jumped')
    const action = start('services:\n  web:\n    image: tb/ok:1\n    stop_grace_period: 1s\n', {
      host: `tcp://127.0.0.1:${port}`,
      'jump-host': `ssh://${bed.user}@127.0.0.1:${proxy.port}`,
      'known-hosts': known.replace(/^\S+/, `[127.0.0.1]:${proxy.port}`),
      'resolve-image': 'never',
    })
    await action.untilLine('Wait until it runs')
    proxy.cut()
    const { outputs, log } = await action.done
    assert.equal(outputs.status, 'converged', log)
    assert.match(log, /over tcp:\/\/127\.0\.0\.1:2391 through the jump host 127\.0\.0\.1:\d+, unencrypted/)
    assert.match(log, /was lost at .*; connecting again\nConnected again/)
  })
})

test('a deployment over TLS, its key in no message', async (t) => {
  const port = await behind(t, 'DNS:localhost')
  const { deploy } = liveStacks(bed, 'tls')(t, 'deploy')
  const result = await deploy('services:\n  web:\n    image: tb/ok:1\n    stop_grace_period: 1s\n', {
    host: `tcp://localhost:${port}`,
    'ssh-key': '',
    'known-hosts': '',
    'tls-ca': material.ca,
    'tls-cert': material.cert,
    'tls-key': material.key,
    wait: 'false',
  })
  assert.equal(result.outputs.status, 'deployed', result.log)
  assert.ok(changesOf(result).includes('create service tls-deploy_web'))
  assert.match(result.log, /over tcp:\/\/localhost:\d+ with TLS/)
  for (const line of material.key.split('\n').slice(1, -2)) assert.ok(!result.log.includes(line))
})
