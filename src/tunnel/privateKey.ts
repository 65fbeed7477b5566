import crypto from 'node:crypto'
import ssh2, { type ParsedKey } from 'ssh2'
import { DeployError } from '../errors.ts'
import { mendPem } from './mendPem.ts'
import { opensshForm } from './opensshForm.ts'

export type KeyInput = 'ssh-key' | 'jump-ssh-key'

/**
 * Reads a private key in the OpenSSH, PEM (PKCS#1, SEC1) or PKCS#8 form, encrypted or not. Throws a DeployError with code
 * `authentication` that tells what is wrong with it and never repeats any of it.
 */
export function readPrivateKey(text: string, passphrase?: string, input: KeyInput = 'ssh-key'): ParsedKey {
  const key = parse(mendPem(text), passphrase)
  if (!isFault(key)) return key
  const [why, remedy] = key
  throw new DeployError('authentication', `The input \`${input}\` can't be used: it ${why}.`, { remedy })
}

type Fault = readonly [why: string, remedy: string]

function isFault(key: ParsedKey | Fault): key is Fault {
  return Array.isArray(key)
}

function parse(pem: string, passphrase: string | undefined): ParsedKey | Fault {
  // Before the key itself OpenSSL writes its curve, in a block of its own.
  const [block, label] = /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----\n[\s\S]*?-----END \1-----\n?/.exec(pem) ?? []
  if (block === undefined || label === undefined) return notAKey(pem)
  if (label === 'OPENSSH PRIVATE KEY') return readOpenssh(block, passphrase)
  if (/^(?:(?:RSA|EC|ENCRYPTED) )?PRIVATE KEY$/.test(label)) return readPem(block, passphrase)
  return label === 'DSA PRIVATE KEY' ? unsupportedType : notAKey(pem)
}

/** Ciphers of the OpenSSH form that ssh2 can undo. Source: ssh2's lib/protocol/constants.js. */
const opensshCiphers = /^(?:none|aes(?:128|192|256)-(?:ctr|cbc)|aes(?:128|256)-gcm@openssh\.com|3des-cbc)$/

function readOpenssh(pem: string, passphrase: string | undefined): ParsedKey | Fault {
  const data = Buffer.from(pem.split('\n').slice(1, -2).join(''), 'base64')
  const magic = 'openssh-key-v1\0'
  if (data.length < magic.length + 4 || data.toString('latin1', 0, magic.length) !== magic) return damaged
  const cipher = data.toString('latin1', magic.length + 4, magic.length + 4 + data.readUInt32BE(magic.length))
  const encrypted = cipher !== 'none'
  if (encrypted && !passphrase) return needsPassphrase
  if (!opensshCiphers.test(cipher)) return unsupportedCipher(cipher)
  const key: ParsedKey | Error = ssh2.utils.parseKey(pem, passphrase)
  if (!(key instanceof Error)) return key
  if (/unsupported openssh private key type: sk-/i.test(key.message)) return hardwareKey
  if (/unsupported openssh private key type/i.test(key.message)) return unsupportedType
  return encrypted && !/malformed/i.test(key.message) ? wrongPassphrase : damaged
}

function readPem(pem: string, passphrase: string | undefined): ParsedKey | Fault {
  const encrypted = /^(?:-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED)/m.test(pem)
  if (encrypted && !passphrase) return needsPassphrase
  let key: crypto.KeyObject
  try {
    key = crypto.createPrivateKey({ key: pem, ...(encrypted && passphrase ? { passphrase } : {}) })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    // Not ERR_OSSL_UNSUPPORTED: that is what one wrong passphrase in some 300 comes to, whose garbage looks well padded.
    if (encrypted && /^ERR_OSSL_(?:EVP_UNSUPPORTED|PEM_UNSUPPORTED_ENCRYPTION)$/.test(code)) {
      return unsupportedCipher(/^DEK-Info: ([A-Za-z0-9-]+)/m.exec(pem)?.[1] ?? 'a cipher of old')
    }
    return encrypted ? wrongPassphrase : damaged
  }
  const form = opensshForm(key)
  const parsed: ParsedKey | Error | undefined = form === undefined ? undefined : ssh2.utils.parseKey(form)
  if (parsed === undefined || parsed instanceof Error) return unsupportedType
  return parsed
}

function notAKey(text: string): Fault {
  if (/^[a-z0-9-]+-cert-v01@openssh\.com /.test(text)) {
    return [
      "is a user certificate, which this action's SSH library can't log in with",
      "Give the private key instead, and put its public half into the user's ~/.ssh/authorized_keys.",
    ]
  }
  if (/^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-|sk-)|^-----? ?BEGIN (?:RSA |SSH2 )?PUBLIC KEY/.test(text)) {
    return ['is a public key', 'Give the private half: the file without `.pub`, which begins with `-----BEGIN`.']
  }
  if (text.startsWith('PuTTY-User-Key-File')) {
    return ["is in PuTTY's form", 'Export it in PuTTYgen with Conversions > Export OpenSSH key.']
  }
  if (/^-----BEGIN CERTIFICATE-----/.test(text)) return ['is a certificate', 'Give the private key instead.']
  if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text)) {
    return ['is cut off: it has a BEGIN line but no END line', 'Store the whole file, down to its last line.']
  }
  return [
    'is not a private key',
    'It should begin with `-----BEGIN OPENSSH PRIVATE KEY-----`; store the text of the key file, not its path.',
  ]
}

const damaged: Fault = [
  'is damaged',
  'Store it anew, whole and unchanged: `ssh-keygen -y -f FILE` must print its public half.',
]
const needsPassphrase: Fault = ['is encrypted', 'Give its passphrase in `ssh-key-passphrase`.']
const wrongPassphrase: Fault = [
  'cannot be decrypted with `ssh-key-passphrase`: the passphrase is wrong',
  'Try it with `ssh-keygen -y -f FILE`.',
]
const unsupportedCipher = (cipher: string): Fault => [
  `is encrypted with ${cipher.slice(0, 40).replace(/[^\w@.-]/g, '?')}, which is not supported`,
  'Encrypt it anew: `ssh-keygen -p -Z aes256-ctr -f FILE`.',
]
const unsupportedType: Fault = [
  'is of a kind that is not supported',
  'Use an Ed25519 key (`ssh-keygen -t ed25519`), or ECDSA on a NIST curve, or RSA.',
]
const hardwareKey: Fault = [
  'is bound to a security key that someone has to touch',
  'Use a key of its own for deployments: `ssh-keygen -t ed25519`.',
]
