// What is said no to: a clear error, its code, and nothing written.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { startBed } from '../support/bed.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, liveStacks, reach } from '../support/liveStack.ts'
import { openRelay } from '../support/relay.ts'
import type { ActionResult } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'refusal')
const manifest = 'services:\n  web:\n    image: tb/ok:1\n    stop_grace_period: 1s\n'

/** A key pair that nobody knows: the private key's text and its public line. */
function strangerKey(): { readonly key: string; readonly line: string } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stranger-'))
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path.join(folder, 'id')])
  const [key = '', line = ''] = ['id', 'id.pub'].map((file) => fs.readFileSync(path.join(folder, file), 'utf8'))
  fs.rmSync(folder, { recursive: true })
  return { key, line: line.trim() }
}

/** Refused with this reason, in one annotation; returns its text. */
function assertRefused(result: ActionResult, reason: string, words: readonly RegExp[]): void {
  assert.equal(result.code, 1, result.log)
  const { status, changed, changes, services, 'failure-reason': failureReason } = result.outputs
  assert.deepEqual(
    [status, failureReason, changed, changes, services],
    ['refused', reason, 'false', '[]', '[]'],
    result.log,
  )
  const text = annotations(result, 'error').join('\n')
  assert.notEqual(text, '', result.raw)
  for (const word of words) assert.match(text, word)
  assert.match(text, /→ \S/, 'it says what to do')
  assert.match(result.summary, /was not deployed: nothing was written/)
  assert.notEqual(result.outputs['failure-message'], '')
}

describe('a refusal', { concurrency: true }, () => {
  const other = strangerKey()
  const cases = [
    {
      what: 'a wrong host key',
      inputs: { 'known-hosts': `${bed.host} ${other.line}` },
      reason: 'host-key',
      words: [/it offered ED25519 SHA256:\S+, but pinned is ED25519 SHA256:/, /Line to pin it: \S+ ssh-ed25519 /],
    },
    {
      what: 'a user that is not there',
      inputs: { host: `ssh://stranger@${bed.host}` },
      reason: 'authentication',
      words: [/Could not log in to \S+ as stranger: the server refused the key/],
    },
    {
      what: 'a key that the server does not know',
      inputs: { 'ssh-key': other.key },
      reason: 'authentication',
      words: [/as deploy: the server refused the key/, /authorized_keys/],
    },
    {
      what: 'a user outside of the docker group',
      inputs: { host: `ssh://nodocker@${bed.host}` },
      reason: 'connection',
      words: [/nodocker may not open \/var\/run\/docker\.sock/, /usermod -aG docker nodocker/],
    },
    {
      what: 'a socket that is not there',
      inputs: { 'docker-socket': '/run/no-such.sock' },
      reason: 'connection',
      words: [/nobody answers at \/run\/no-such\.sock/, /`docker-socket`/],
    },
    {
      what: 'a port that nobody listens on',
      inputs: { host: `ssh://${bed.user}@${bed.host}:2` },
      reason: 'connection',
      words: [/Could not connect to \S+:2: the connection was refused, nobody listens there/],
    },
  ]
  for (const [index, { what, inputs, reason, words }] of cases.entries()) {
    test(what, async (t) => {
      const { deploy, objects } = stack(t, `case-${index}`)
      const result = await deploy(manifest, inputs)
      assertRefused(result, reason, words)
      assert.deepEqual(await objects(), {})
      assert.ok(result.durationMs < 10_000, `it took ${result.durationMs} ms`)
    })
  }

  test('a worker is told from a manager, and the manager is named', async (t) => {
    const pair = await startBed({ name: `pair-${process.pid}`, withWorker: true })
    t.after(() => pair.stop())
    assert.ok(pair.worker)
    const result = await stack(t, 'worker').deploy(manifest, {
      ...reach(pair),
      host: `ssh://deploy@${pair.worker.host}`,
    })
    assertRefused(result, 'not-a-manager', [/is a worker, and only managers change a swarm/, new RegExp(pair.host)])
    const { stdout } = await pair.shell(['docker', 'service', 'ls', '-q'])
    assert.equal(stdout, '')
  })

  test('everything external that is missing is named at once, with the command that creates it', async (t) => {
    const { deploy, objects } = stack(t, 'missing', { 'own.txt': 'hidden' })
    const result = await deploy(`services:
  web:
    image: tb/ok:1
    networks: [proxy, own]
    secrets: [key]
    configs: [conf]
networks:
  own:
  proxy: { external: true, name: no-such-net }
secrets:
  key: { external: true, name: no-such-key }
  own: { file: own.txt }
configs:
  conf: { external: true, name: no-such-conf }
`)
    assertRefused(result, 'missing-resource', [
      /docker network create --driver overlay --attachable no-such-net/,
      /docker secret create no-such-key FILE/,
      /docker config create no-such-conf FILE/,
    ])
    assert.deepEqual(await objects(), {})
  })
})

describe('before anything is sent', { concurrency: true }, () => {
  const relayed = async (t: TestContext) => {
    const relay = await openRelay(t)
    return { relay, host: `ssh://deploy@127.0.0.1:${relay.port}` }
  }

  test('a mistake on line 12 of the manifest is told with file, line and column', async (t) => {
    const { relay, host } = await relayed(t)
    const { deploy, objects } = stack(t, 'line')
    const result = await deploy(
      `services:
  web:
    image: tb/ok:1
    stop_grace_period: 1s
    deploy:
      replicas: 2
  worker:
    image: tb/ok:1
    stop_grace_period: 1s
    environment:
      A: b
    imagee: tb/ok:2
`,
      { host },
    )
    assertRefused(result, 'manifest', [/^stack\.yml:12: stack\.yml:12:5: .*imagee/m])
    assert.match(result.outputs['failure-message'] ?? '', /stack\.yml:12:5/)
    assert.equal(relay.connections, 0)
    assert.deepEqual(await objects(), {})
  })

  test('all mistakes in the inputs are told at once', async (t) => {
    const { relay, host } = await relayed(t)
    const result = await stack(t, 'inputs').deploy(manifest, {
      host,
      timeout: 'soon',
      wait: 'maybe',
      'ssh-key': 'no key',
      'stack-name': 'no name',
    })
    assertRefused(result, 'input', [/`timeout`/, /`wait`/, /`stack-name`/])
    assert.equal(relay.connections, 0)
  })
})

test('a key with CRLF line ends, no final newline and blanks before its lines works', async (t) => {
  const { 'ssh-key': key = '' } = reach(bed)
  const result = await stack(t, 'crlf').deploy(manifest, {
    'ssh-key': key.trimEnd().replace(/^/gm, '  ').replaceAll('\n', '\r\n'),
    wait: 'false',
  })
  assert.equal(result.outputs.status, 'deployed', result.log)
})
