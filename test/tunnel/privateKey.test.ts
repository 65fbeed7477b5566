import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { DeployError } from '../../src/errors.ts'
import { fingerprint } from '../../src/tunnel/hostKey.ts'
import { readPrivateKey } from '../../src/tunnel/privateKey.ts'
import { testKey } from './keys.ts'

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'private-key-'))
after(() => fs.rmSync(dir, { recursive: true }))
let count = 0

/** A key as ssh-keygen writes it, and the fingerprint that ssh-keygen itself sees in it. */
function generated(args: readonly string[], passphrase = ''): { readonly text: string; readonly print: string } {
  const file = path.join(dir, `key${count++}`)
  execFileSync('ssh-keygen', ['-q', '-N', passphrase, '-f', file, ...args])
  return {
    text: fs.readFileSync(file, 'utf8'),
    print: execFileSync('ssh-keygen', ['-lf', `${file}.pub`], { encoding: 'utf8' }).split(' ')[1] ?? '',
  }
}

const secret = 'correct horse'
const read = (text: string, passphrase?: string): string => fingerprint(readPrivateKey(text, passphrase).getPublicSSH())

const forms: readonly (readonly [what: string, args: readonly string[], passphrase: string])[] = [
  ['OpenSSH Ed25519', ['-t', 'ed25519'], ''],
  ['OpenSSH ECDSA', ['-t', 'ecdsa', '-b', '384'], ''],
  ['OpenSSH RSA', ['-t', 'rsa', '-b', '2048'], ''],
  ['PEM RSA', ['-t', 'rsa', '-b', '2048', '-m', 'PEM'], ''],
  ['PEM ECDSA', ['-t', 'ecdsa', '-m', 'PEM'], ''],
  ['PKCS#8 RSA', ['-t', 'rsa', '-b', '2048', '-m', 'PKCS8'], ''],
  ['PKCS#8 ECDSA', ['-t', 'ecdsa', '-b', '521', '-m', 'PKCS8'], ''],
  ['encrypted OpenSSH (default cipher)', ['-t', 'ed25519'], secret],
  ['encrypted OpenSSH (aes256-gcm)', ['-t', 'ed25519', '-Z', 'aes256-gcm@openssh.com'], secret],
  ...['aes128-ctr', 'aes192-ctr', 'aes192-cbc', 'aes256-cbc', '3des-cbc', 'aes128-gcm@openssh.com'].map(
    (cipher) => [`encrypted OpenSSH (${cipher})`, ['-t', 'ed25519', '-a', '1', '-Z', cipher], secret] as const,
  ),
  ['encrypted OpenSSH (aes128-cbc)', ['-t', 'ed25519', '-Z', 'aes128-cbc'], secret],
  ['encrypted PEM RSA', ['-t', 'rsa', '-b', '2048', '-m', 'PEM'], secret],
  ['encrypted PKCS#8 RSA', ['-t', 'rsa', '-b', '2048', '-m', 'PKCS8'], secret],
]

for (const [what, args, passphrase] of forms) {
  test(`${what} is read`, () => {
    const { text, print } = generated(args, passphrase)
    assert.equal(read(text, passphrase || undefined), print)
    if (passphrase !== '') {
      assert.throws(() => read(text), refusal(/is encrypted/, /ssh-key-passphrase/))
      assert.throws(() => read(text, 'wrong horse'), refusal(/the passphrase is wrong/, /ssh-keygen -y/))
    }
  })
}

for (const passphrase of [undefined, secret]) {
  test(`PKCS#8 Ed25519, ${passphrase ? 'encrypted' : 'plain'}, which ssh2 cannot read by itself`, () => {
    const { object, blob } = testKey('ed25519')
    const cipher = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }
    const text = object.export({ type: 'pkcs8', format: 'pem', ...cipher }).toString()
    const key = readPrivateKey(text, passphrase)
    assert.ok(key.getPublicSSH().equals(blob))
    assert.ok(crypto.verify(null, Buffer.from('x'), crypto.createPublicKey(object), key.sign('x')))
  })
}

for (const [kind, type] of [
  ['rsa', 'pkcs1'],
  ['ec', 'sec1'],
  ['rsa', 'pkcs8'],
  ['ec', 'pkcs8'],
  ['ed25519', 'pkcs8'],
] as const) {
  test(`${kind} in ${type}, encrypted in the ciphers that OpenSSL knows`, () => {
    const { object, blob } = testKey(kind)
    for (const cipher of ['aes-128-cbc', 'aes-192-cbc', 'aes-256-cbc', 'des-ede3-cbc']) {
      const text = object.export({ type, format: 'pem', cipher, passphrase: secret } as never).toString()
      assert.ok(readPrivateKey(text, secret).getPublicSSH().equals(blob), cipher)
      assert.throws(() => read(text, 'wrong horse'), refusal(/passphrase is wrong/, /ssh-keygen -y/))
    }
  })
}

const damages: readonly (readonly [what: string, damage: (text: string) => string])[] = [
  ['CRLF', (text) => text.replaceAll('\n', '\r\n')],
  ['a missing final newline', (text) => text.trimEnd()],
  ['indentation', (text) => text.replace(/^/gm, '    ')],
  ['spaces at line ends', (text) => text.replace(/$/gm, '  ')],
  ['empty lines in between', (text) => text.replaceAll('\n', '\n\n')],
  ['everything on one line', (text) => text.replaceAll('\n', ' ')],
  ['no line ends at all', (text) => text.replaceAll('\n', '')],
  ['\\n as two characters', (text) => text.replaceAll('\n', '\\n')],
  ['quotes around it', (text) => `"${text}"`],
  ['base64 of the whole file', (text) => Buffer.from(text).toString('base64')],
  ['a byte order mark', (text) => `\uFEFF${text}`],
  ['words around it', (text) => `my key:\n${text}\nthat was it`],
]

for (const [what, damage] of damages) {
  test(`${what} is mended`, () => {
    const { text, print } = generated(['-t', 'ed25519'])
    assert.equal(read(damage(text)), print)
    // Without line ends the old form does not tell where its headers end.
    if (what !== 'no line ends at all') {
      const old = generated(['-t', 'rsa', '-b', '1024', '-m', 'PEM'], secret)
      assert.equal(read(damage(old.text), secret), old.print)
    }
  })
}

test('what cannot be used is told apart, and never repeated', () => {
  const { text } = generated(['-t', 'ed25519'])
  const publicText = execFileSync('ssh-keygen', ['-yf', path.join(dir, `key${count - 1}`)], { encoding: 'utf8' })
  const chacha = generated(['-t', 'ed25519', '-Z', 'chacha20-poly1305@openssh.com'], secret).text
  const ed448 = crypto.generateKeyPairSync('ed448').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const spki = crypto.createPublicKey(testKey('rsa').object).export({ type: 'spki', format: 'pem' }).toString()
  const lines = text.split('\n')
  const rows: readonly (readonly [text: string, message: RegExp, remedy: RegExp])[] = [
    [publicText, /is a public key/, /without `\.pub`/],
    [spki, /is a public key/, /private half/],
    ['~/.ssh/id_ed25519', /is not a private key/, /not its path/],
    ['hunter2', /is not a private key/, /BEGIN OPENSSH/],
    [lines.slice(0, 4).join('\n'), /no END line/, /whole file/],
    [[...lines.slice(0, 2), ...lines.slice(3)].join('\n'), /is damaged/, /ssh-keygen -y/],
    [chacha, /encrypted with chacha20-poly1305@openssh\.com/, /-Z aes256-ctr/],
    [ed448, /kind that is not supported/, /Ed25519/],
    ['-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----', /is a certificate/, /private key/],
    ['PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none', /PuTTY/, /Export OpenSSH key/],
  ]
  for (const [given, message, remedy] of rows) {
    assert.throws(
      () => read(given, secret),
      (error) => {
        refusal(message, remedy)(error)
        const told = `${(error as DeployError).message} ${(error as DeployError).remedy}`
        assert.ok(!told.includes('hunter2') && !told.includes(lines[1] ?? '') && !told.includes(secret), told)
        return true
      },
    )
  }
})

test('a passphrase for a key that needs none does no harm', () => {
  const { text, print } = generated(['-t', 'ed25519'])
  assert.equal(read(text, secret), print)
})

function refusal(message: RegExp, remedy: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof DeployError, String(error))
    assert.equal(error.code, 'authentication')
    assert.match(error.message, message)
    assert.match(error.remedy ?? '', remedy)
    return true
  }
}

test('a wrong passphrase is called that, also where what comes out happens to be well padded', () => {
  const { object } = testKey('ec')
  const passphrase = { format: 'pem', cipher: 'aes-256-cbc', passphrase: secret } as const
  const text = object.export({ type: 'sec1', ...passphrase }).toString()
  for (let tries = 0; tries < 1500; tries += 1) {
    assert.throws(() => read(text, `wrong ${tries}`), refusal(/passphrase is wrong/, /ssh-keygen -y/))
  }
})

test("a curve's block before the key, as OpenSSL writes it, is passed over", () => {
  const { text, print } = generated(['-t', 'ecdsa', '-m', 'PEM'])
  const curve = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n'
  assert.equal(read(`${curve}${text}`), print)
})

test('a user certificate is called one, and the jump key by its own name', () => {
  assert.throws(
    () => read('ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5 me'),
    refusal(/is a user certificate/, /authorized_keys/),
  )
  assert.throws(() => readPrivateKey('x', undefined, 'jump-ssh-key'), refusal(/The input `jump-ssh-key`/, /BEGIN/))
})
