import { createHash, randomBytes } from 'node:crypto'
import { DIGEST_LABEL } from '../swarm/names.ts'
import type { Secret, SecretSpec } from '../swarm/secret.ts'

/** The value of the digest label for a secret's content: the salt keeps equal secrets of two stacks apart and guessing expensive. */
export function secretDigest(spec: SecretSpec, salt: string = randomBytes(16).toString('hex')): string {
  const hash = createHash('sha256')
    .update(salt, 'hex')
    .update(Buffer.from(spec.Data ?? '', 'base64'))
  return `${salt}:${hash.digest('hex')}`
}

/** Whether a live secret has this content; undefined where only the engine can tell. */
export function hasContent(live: Secret, spec: SecretSpec): boolean | undefined {
  const known = live.Spec.Labels?.[DIGEST_LABEL]
  const salt = known?.split(':', 1)[0]
  if (known === undefined || salt === undefined || !/^[0-9a-f]+:[0-9a-f]{64}$/.test(known)) return undefined
  return secretDigest(spec, salt) === known
}
