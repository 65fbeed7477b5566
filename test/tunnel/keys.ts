import crypto from 'node:crypto'
import ssh2 from 'ssh2'
import { type HostKey, hostKeyOf } from '../../src/tunnel/hostKey.ts'
import { opensshForm } from '../../src/tunnel/opensshForm.ts'

export interface TestKey extends HostKey {
  /** In a form that ssh2 reads. */
  readonly privateKey: string
  readonly object: crypto.KeyObject
}

/** A fresh key pair. */
export function testKey(kind: 'ed25519' | 'ec' | 'rsa'): TestKey {
  const object = {
    ed25519: () => crypto.generateKeyPairSync('ed25519'),
    ec: () => crypto.generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
    rsa: () => crypto.generateKeyPairSync('rsa', { modulusLength: 2048 }),
  }[kind]().privateKey
  const privateKey = opensshForm(object) ?? ''
  const parsed = ssh2.utils.parseKey(privateKey)
  if (parsed instanceof Error) throw parsed
  const key = hostKeyOf(parsed.getPublicSSH())
  if (key === undefined) throw new Error(`no ${kind} key`)
  return { ...key, privateKey, object }
}
