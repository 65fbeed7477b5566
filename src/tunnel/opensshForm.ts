import crypto from 'node:crypto'

/**
 * A key in a form that ssh2 reads: PKCS#1 for RSA, SEC1 for ECDSA, OpenSSH's own for Ed25519, for which ssh2 knows no other.
 * Undefined for kinds that SSH does not use.
 */
export function opensshForm(key: crypto.KeyObject): string | undefined {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return key.export({ type: 'pkcs1', format: 'pem' }).toString()
    case 'ec':
      return key.export({ type: 'sec1', format: 'pem' }).toString()
    case 'ed25519':
      return ed25519(key)
    default:
      return undefined
  }
}

/** Source: PROTOCOL.key of OpenSSH. */
function ed25519(key: crypto.KeyObject): string {
  const { d = '', x = '' } = key.export({ format: 'jwk' })
  const publicKey = Buffer.from(x, 'base64url')
  const publicBlob = Buffer.concat([string('ssh-ed25519'), string(publicKey)])
  const check = crypto.randomBytes(4)
  const secret = Buffer.concat([
    check,
    check,
    publicBlob,
    string(Buffer.concat([Buffer.from(d, 'base64url'), publicKey])),
    string(''),
  ])
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, index) => index + 1))
  const blob = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    string('none'),
    string('none'),
    string(''),
    Buffer.from([0, 0, 0, 1]),
    string(publicBlob),
    string(Buffer.concat([secret, padding])),
  ])
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? []
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n')
}

/** SSH's `string`: four bytes of length, then the bytes. */
function string(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
