import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inputVariable } from '../../src/inputs/table.ts'
import { readInputs } from '../../src/inputs.ts'

const print = `SHA256:${'a'.repeat(43)}`
const least = { host: 'ssh://deploy@manager', 'ssh-key': 'key', manifest: 'stack.yml', 'stack-name': 'shop' }
const pem = { 'tls-ca': 'a', 'tls-cert': 'b', 'tls-key': 'c-c-c' }

function read(given: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const inputs = Object.fromEntries(Object.entries(given).map(([name, text]) => [inputVariable(name), text]))
  const result = readInputs({ ...inputs, ...env }, { exists: () => true, readText: () => undefined })
  const told = (severity: string) =>
    result.problems.filter((one) => one.severity === severity).map(({ message, remedy }) => `${message} | ${remedy}`)
  return { ...result, errors: told('error'), warnings: told('warning') }
}

test('several managers in their order, over ssh, tcp and a socket', () => {
  const { inputs, errors } = read({
    ...least,
    ...pem,
    host: 'ssh://a@one\n# the second\ntcp://two:2376\nunix:///run/docker.sock\ntcp://[::1]:2375',
  })
  assert.deepEqual(errors, [])
  assert.deepEqual(inputs?.endpoints, [
    { kind: 'ssh', user: 'a', host: 'one', port: 22 },
    { kind: 'tcp', host: 'two', port: 2376 },
    { kind: 'unix', path: '/run/docker.sock' },
    { kind: 'tcp', host: '::1', port: 2375 },
  ])
  assert.deepEqual(inputs?.tls, { ca: 'a', cert: 'b', key: 'c-c-c' })
})

test('jump hosts, their key and the password', () => {
  const { inputs, errors, secretsToMask } = read({
    ...least,
    'jump-host': 'ssh://j@bastion\nssh://k@[2001:db8::1]:2222',
    'jump-ssh-key': 'jump key',
    'ssh-password': 'hunter22',
  })
  assert.deepEqual(errors, [])
  assert.deepEqual(inputs?.jumpHosts, [
    { kind: 'ssh', user: 'j', host: 'bastion', port: 22 },
    { kind: 'ssh', user: 'k', host: '2001:db8::1', port: 2222 },
  ])
  assert.equal(inputs?.jumpSshKey, 'jump key')
  assert.equal(inputs?.sshPassword, 'hunter22')
  for (const secret of ['jump key', 'hunter22']) assert.ok(secretsToMask.some(([, one]) => one === secret))
})

const faults: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
  [{ 'jump-host': 'bastion' }, /`jump-host`: line 1 is no ssh address \| Write `ssh:\/\/user@host`/],
  [{ 'jump-host': 'tcp://bastion:22' }, /`jump-host`: line 1 is no ssh address/],
  [{ 'jump-host': 'ssh://bastion' }, /`jump-host`: line 1 names no user/],
  [{ host: 'ssh://a:hunter22@manager' }, /has a password in the address \| .*`ssh-password`/],
  [{ host: 'tcp://manager' }, /names no port \| .*2376/],
  [{ host: 'tcp://a b:1' }, /no tcp address/],
  [{ host: 'tcp://manager:0' }, /0 is no port/],
  [{ host: 'tcp://manager:2376' }, /`tls-ca` and `tls-cert` and `tls-key` are missing \| .*root/],
  [{ host: 'tcp://manager:2376', 'tls-ca': 'a', 'tls-key': 'bbbb' }, /but `tls-cert` is missing/],
  [{ host: 'tcp://127.0.0.1:2376', 'tls-ca': 'a' }, /but `tls-cert` and `tls-key` are missing/],
  [{ host: 'ssh://a@one\nssh://a@two', 'host-fingerprint': print }, /a line names no host, and there are several/],
  [{ 'jump-host': 'ssh://a@two', 'host-fingerprint': print }, /a line names no host, and there is a `jump-host`/],
  [
    { 'jump-host': 'ssh://a@two', 'ssh-key': '', 'ssh-password': 'hunter22' },
    /`ssh-password` is never sent to a jump host \| Set `jump-ssh-key`/,
  ],
  [{ 'host-key-check': 'off', 'ssh-password': 'hunter22' }, /would hand the password to whoever answers/],
  [{ 'host-fingerprint': `manager MD5:${'00:'.repeat(15)}00` }, /MD5 fingerprints prove nothing/],
  [{ 'ssh-key': '' }, /nothing to log in with/],
]

for (const [inputs, expected] of faults) {
  test(`refused: ${JSON.stringify(inputs)}`, () => {
    const { errors } = read({ ...least, ...inputs })
    assert.equal(errors.length, 1, errors.join('\n'))
    assert.match(errors[0] ?? '', expected)
    assert.ok(!errors.join().includes('hunter22'))
  })
}

test('the loopback interface needs no TLS, nor does a password need a key', () => {
  for (const host of ['tcp://127.0.0.1:2375', 'tcp://localhost:2375', 'tcp://[::1]:2375']) {
    assert.deepEqual(read({ ...least, host, 'ssh-key': '' }).errors, [])
  }
  assert.deepEqual(read({ ...least, 'ssh-key': '', 'ssh-password': 'hunter22' }).errors, [])
})

test('what has no effect is said', () => {
  assert.match(read({ ...least, ...pem }).warnings.join(), /`tls-key` are ignored/)
  assert.match(read({ ...least, 'jump-ssh-key': 'keys' }).warnings.join(), /`jump-ssh-key` is ignored/)
  assert.match(
    read({ ...least, host: 'unix:///run/docker.sock', 'jump-host': 'ssh://a@b' }).warnings.join(),
    /`jump-host` is ignored, since every `host` is a socket of this machine/,
  )
  // A port may lie behind a jump host as well.
  const port = { ...least, host: 'tcp://127.0.0.1:2375', 'jump-host': 'ssh://a@b' }
  assert.deepEqual(read({ ...port, 'ssh-key': 'a key' }).warnings, [])
  assert.match(
    read({ ...port, 'ssh-key': '' }).errors.join(),
    /nothing to log in to `jump-host` with \| Set `jump-ssh-key`/,
  )
})

test('names of other actions are told what they are called here', () => {
  for (const [name, here] of [
    ['proxy_host', /`jump-host: ssh:/],
    ['proxy_key', /`jump-ssh-key`/],
    ['tls-cacert', /`tls-ca`/],
    ['password', /`ssh-password`/],
  ] as const) {
    assert.match(read({ ...least, [name]: 'x' }).errors.join(), here)
  }
})
