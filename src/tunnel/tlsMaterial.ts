import crypto from 'node:crypto'
import { DeployError } from '../errors.ts'
import { mendPem } from './mendPem.ts'
import type { TlsSettings } from './settings.ts'

type TlsInput = 'tls-ca' | 'tls-cert' | 'tls-key'

/**
 * The certificates and the key in the form that node's tls takes. Throws a DeployError with code `authentication` that tells what is
 * wrong with them and repeats none of it. `now` is in milliseconds since the epoch.
 */
export function readTls(tls: TlsSettings, now: number): TlsSettings {
  const [ca, cert, key] = [mendPem(tls.ca), mendPem(tls.cert), mendPem(tls.key)]
  certificates(ca, 'tls-ca', now)
  const [own] = certificates(cert, 'tls-cert', now)
  if (own !== undefined && !own.checkPrivateKey(privateKey(key))) {
    throw wrong(
      'tls-key',
      'it is not the key of the certificate in `tls-cert`',
      'Give the pair that was made together: `openssl pkey -pubout` of the key must print what `openssl x509 -pubkey -noout` of the certificate does.',
    )
  }
  return { ca, cert, key }
}

function certificates(pem: string, input: TlsInput, now: number): readonly crypto.X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----\n[\s\S]*?-----END CERTIFICATE-----\n/g) ?? []
  const fromFile = `Store the text of the file, from \`-----BEGIN CERTIFICATE-----\` to its last line (docker calls it ${fileOf[input]}).`
  if (blocks.length === 0) {
    const what = /PRIVATE KEY-----/.test(pem)
      ? 'it is a private key, not a certificate'
      : 'it is no certificate in PEM form'
    throw wrong(input, what, fromFile)
  }
  const read = blocks.map((block) => {
    try {
      return new crypto.X509Certificate(block)
    } catch {
      throw wrong(input, 'its certificate is damaged', fromFile)
    }
  })
  const [first] = read
  if (first !== undefined && Date.parse(first.validTo) < now) {
    throw wrong(input, `its certificate expired on ${first.validTo}`, 'Issue a new one and store that.')
  }
  return read
}

const fileOf = { 'tls-ca': 'ca.pem', 'tls-cert': 'cert.pem', 'tls-key': 'key.pem' } as const

function privateKey(pem: string): crypto.KeyObject {
  const remedy =
    'Store the text of the file, from `-----BEGIN PRIVATE KEY-----` to its last line (docker calls it key.pem).'
  if (!/PRIVATE KEY-----/.test(pem)) {
    const what = /BEGIN CERTIFICATE/.test(pem) ? 'it is a certificate, not a key' : 'it is no private key in PEM form'
    throw wrong('tls-key', what, remedy)
  }
  if (/^(?:-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED)/m.test(pem)) {
    throw wrong('tls-key', 'it is encrypted', 'Give it without a passphrase: `openssl pkey -in key.pem`.')
  }
  try {
    return crypto.createPrivateKey(pem)
  } catch {
    throw wrong('tls-key', 'it is damaged', remedy)
  }
}

function wrong(input: TlsInput, why: string, remedy: string): DeployError {
  return new DeployError('authentication', `The input \`${input}\` can't be used: ${why}.`, { remedy })
}
