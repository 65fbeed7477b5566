import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeployError } from '../../src/errors.ts'
import { hostFingerprints } from '../../src/inputs/hostFingerprint.ts'
import { fingerprint, type HostKey } from '../../src/tunnel/hostKey.ts'
import { hostKeyError } from '../../src/tunnel/hostKeyError.ts'
import { algorithmsOf, hostKeyPins, judgeHostKey, keyTypesToAskFor } from '../../src/tunnel/hostKeyPins.ts'
import { parseKnownHosts } from '../../src/tunnel/knownHosts.ts'
import { testKey } from './keys.ts'

const [ed, other, rsa] = [testKey('ed25519'), testKey('ed25519'), testKey('rsa')]
const line = (hosts: string, key: HostKey): string => `${hosts} ${key.type} ${key.blob.toString('base64')}`
const printsOf = (lines: readonly string[]) => {
  const read = hostFingerprints(lines.join('\n'))
  return read.ok ? read.value : assert.fail(read.faults.map(({ what }) => what).join())
}
const pinsOf = (lines: readonly string[], fingerprints: readonly string[] = [], host = 'manager', port = 22) =>
  hostKeyPins(host, port, parseKnownHosts(lines.join('\n'), 'the input known-hosts'), printsOf(fingerprints))

const rows: readonly (readonly [
  what: string,
  lines: readonly string[],
  fingerprints: readonly string[],
  port: number,
  verdict: string,
])[] = [
  ['nothing is known', [], [], 22, 'unknown'],
  ['the key is known', [line('manager', ed)], [], 22, 'accepted'],
  ['one of several keys is known', [line('manager', rsa), line('manager', ed)], [], 22, 'accepted'],
  ['another key is known', [line('manager', other)], [], 22, 'mismatch'],
  ['the key is known for another host', [line('bastion', ed)], [], 22, 'unknown'],
  ['the key is revoked', [line('manager', ed), line('@revoked *', ed)], [], 22, 'revoked'],
  [
    'a revoked key stays so, whatever fingerprint is given',
    [line('@revoked manager', ed)],
    [fingerprint(ed.blob)],
    22,
    'revoked',
  ],
  ['another key is revoked', [line('manager', ed), line('@revoked manager', other)], [], 22, 'accepted'],
  ['the port has its own line', [line('[manager]:2222', ed)], [], 2222, 'accepted'],
  ['the bare host counts for another port', [line('manager', ed)], [], 2222, 'accepted'],
  [
    'but not where the port has a line of its own',
    [line('manager', ed), line('[manager]:2222', other)],
    [],
    2222,
    'mismatch',
  ],
  ["a port's line says nothing of port 22", [line('[manager]:2222', ed)], [], 22, 'unknown'],
  ['a bare fingerprint', [], [fingerprint(ed.blob)], 22, 'accepted'],
  ['a fingerprint for the host', [], [`manager ${fingerprint(ed.blob)}`], 22, 'accepted'],
  ['a fingerprint for the host and port', [], [`Manager:2222 ${fingerprint(ed.blob)}`], 2222, 'accepted'],
  [
    'a fingerprint for the bare host counts for another port',
    [],
    [`manager ${fingerprint(ed.blob)}`],
    2222,
    'accepted',
  ],
  [
    'but not where the port has one of its own',
    [],
    [`manager ${fingerprint(ed.blob)}`, `manager:2222 ${fingerprint(other.blob)}`],
    2222,
    'mismatch',
  ],
  ['a fingerprint for another port', [], [`manager:2222 ${fingerprint(ed.blob)}`], 22, 'unknown'],
  ['a fingerprint of another key', [], [`manager ${fingerprint(other.blob)}`], 22, 'mismatch'],
  ['a certificate authority is not enough', [line('@cert-authority *', ed)], [], 22, 'unknown'],
]

for (const [what, lines, fingerprints, port, verdict] of rows) {
  test(`${what}: ${verdict}`, () => {
    assert.equal(judgeHostKey(pinsOf(lines, fingerprints, 'manager', port), ed), verdict)
  })
}

test('the kinds of key that are pinned are asked for first, the others stay on the list', () => {
  const algorithms = algorithmsOf(keyTypesToAskFor(pinsOf([line('manager', rsa)])))
  assert.deepEqual(algorithms.slice(0, 3), ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'])
  assert.equal(algorithms.length, 7)
  assert.equal(algorithmsOf(keyTypesToAskFor(pinsOf([])))[0], 'ssh-ed25519')
})

const messages: readonly (readonly [
  verdict: 'revoked' | 'mismatch' | 'unknown',
  lines: readonly string[],
  parts: readonly string[],
])[] = [
  ['unknown', [], ['is not known', `ED25519 ${fingerprint(ed.blob)}`, line('manager', ed)]],
  ['unknown', [line('@cert-authority *', rsa)], ['@cert-authority line 1', 'host certificates']],
  ['unknown', ['manager ssh-ed25519 AAAA'], ['its line 1', 'damaged']],
  [
    'mismatch',
    [line('manager', other)],
    [
      `ED25519 ${fingerprint(ed.blob)}`,
      `ED25519 ${fingerprint(other.blob)} (the input known-hosts, line 1)`,
      line('manager', ed),
    ],
  ],
  [
    'revoked',
    [line('@revoked manager', ed)],
    ['is revoked', `ED25519 ${fingerprint(ed.blob)}`, 'line 1 of the input known-hosts'],
  ],
]

for (const [verdict, lines, parts] of messages) {
  test(`the message for ${verdict} (${lines.length} lines) shows what was offered and what to pin`, () => {
    const error = hostKeyError(verdict, 'manager', pinsOf(lines), [ed])
    assert.ok(error instanceof DeployError)
    assert.equal(error.code, 'host-key')
    for (const part of parts) assert.ok(error.message.includes(part), `${part} in ${error.message}`)
    assert.ok((error.remedy ?? '').length > 20)
  })
}

test('our own public key, pinned by mistake, is recognised', () => {
  assert.match(
    hostKeyError('mismatch', 'manager', pinsOf([line('manager', other)]), [ed], other.blob).message,
    /public half of the key that you log in with/,
  )
  assert.doesNotMatch(
    hostKeyError('mismatch', 'manager', pinsOf([line('manager', other)]), [ed], rsa.blob).message,
    /public half/,
  )
})
