import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { test } from 'node:test'
import { DeployError } from '../../src/errors.ts'
import { parseKnownHosts } from '../../src/tunnel/knownHosts.ts'
import { testKey } from './keys.ts'

const key = testKey('ed25519')
const text = `${key.type} ${key.blob.toString('base64')}`

function hashed(name: string): string {
  const salt = crypto.randomBytes(20)
  return `|1|${salt.toString('base64')}|${crypto.createHmac('sha1', salt).update(name).digest('base64')}`
}

const rows: readonly (readonly [hosts: string, yes: readonly string[], no: readonly string[]])[] = [
  ['manager', ['manager'], ['manager2', '[manager]:2222', 'xmanager']],
  ['Manager.Example.COM', ['manager.example.com'], ['manager-example.com', 'managerxexample.com']],
  ['a,b,10.0.0.1', ['a', 'b', '10.0.0.1'], ['c', 'a,b', '10.0.0.11']],
  ['[manager]:2222', ['[manager]:2222'], ['manager', '[manager]:22', '[manager]:22222']],
  ['[manager]:22', ['manager'], ['[manager]:2222']],
  ['[2001:db8::1]:2222', ['[2001:db8::1]:2222'], ['2001:db8::1']],
  ['*.example.com,!bad.example.com', ['a.example.com', 'a.b.example.com'], ['bad.example.com', 'example.com']],
  ['!bad,*', ['good'], ['bad']],
  ['10.0.0.?', ['10.0.0.1'], ['10.0.0.12', '10x0x0x1']],
  ['[10.0.0.*]:*', ['[10.0.0.7]:2201'], ['10.0.0.7']],
  ['!bad', [], ['good', 'bad']],
  [hashed('manager'), ['manager'], ['other', '[manager]:2222']],
  [hashed('[manager]:2222'), ['[manager]:2222'], ['manager']],
]

for (const [hosts, yes, no] of rows) {
  test(`the host field ${hosts.slice(0, 40)}`, () => {
    const [entry] = parseKnownHosts(`${hosts} ${text} a comment`, 'test').entries
    assert.deepEqual(
      [...yes, ...no].filter((name) => entry?.matches(name)),
      yes,
    )
    assert.ok(entry?.key.blob.equals(key.blob))
  })
}

test('comments, empty lines, tabs, CRLF and a byte order mark are no obstacle', () => {
  const { entries, unreadable } = parseKnownHosts(
    `\uFEFF# manager:22 SSH-2.0-OpenSSH\r\n\r\n  manager\t${text}\r\n@revoked * ${text}\r\n@cert-authority *.example.com ${text}`,
    'test',
  )
  assert.deepEqual(
    entries.map(({ line, marker }) => [line, marker]),
    [
      [3, undefined],
      [4, 'revoked'],
      [5, 'cert-authority'],
    ],
  )
  assert.deepEqual(unreadable, [])
})

test('lines that say nothing are named with the reason, and do not hide the others', () => {
  const { entries, unreadable } = parseKnownHosts(
    [
      `manager ${key.type}`,
      `manager ssh-rsa ${key.blob.toString('base64')}`,
      'manager ssh-ed25519 AAAA',
      `@what * ${text}`,
      `|1|a|b ${text}`,
      `ok ${text}`,
    ].join('\n'),
    'test',
  )
  assert.equal(entries.length, 1)
  assert.deepEqual(unreadable, [
    { line: 1, why: 'it is not `host type key`' },
    { line: 2, why: 'it says ssh-rsa, but its key is ssh-ed25519' },
    { line: 3, why: 'its key is damaged' },
    { line: 4, why: 'its @marker is unknown' },
    { line: 5, why: 'its hashed host is damaged' },
  ])
})

test('a bare public key is recognised, and said to be one', () => {
  assert.throws(
    () => parseKnownHosts(`# mine\n${text} me@laptop`, 'the input known-hosts'),
    (error) => {
      assert.ok(error instanceof DeployError)
      assert.equal(error.code, 'host-key')
      assert.match(error.message, /^Line 2 of the input known-hosts is a bare ssh-ed25519 public key \("me@laptop"\)/)
      assert.match(error.remedy ?? '', /authorized_keys/)
      return true
    },
  )
})
