import { createHash } from 'node:crypto'
import { DIGEST_LABEL } from '../swarm/names.ts'
import type { Secret, SecretSpec } from '../swarm/secret.ts'

/**
 * What the digest label holds for a secret's content, `<salt>:<sha256 of salt and data>` in hex. Neither part is for anyone's eyes: who
 * has both can try out what the secret might be.
 */
export interface SecretDigest {
  readonly salt: string
  readonly digest: string
}

export function secretDigest({ Data = '' }: SecretSpec, salt: string): SecretDigest {
  const hash = createHash('sha256').update(salt, 'hex').update(Buffer.from(Data, 'base64'))
  return { salt, digest: hash.digest('hex') }
}

/** The digest that a live secret bears; undefined where somebody else made it. */
export function digestOf({ Spec: { Labels } }: Secret): SecretDigest | undefined {
  const [, salt, digest] = /^((?:[0-9a-f]{2})+):([0-9a-f]{64})$/.exec(Labels?.[DIGEST_LABEL] ?? '') ?? []
  return salt === undefined || digest === undefined ? undefined : { salt, digest }
}

/** Whether a live secret has this content; undefined where only the engine can tell. */
export function hasContent(live: Secret, spec: SecretSpec): boolean | undefined {
  const known = digestOf(live)
  return known && secretDigest(spec, known.salt).digest === known.digest
}

/** A salt for one secret from what a run drew at random, so that equal secrets do not look equal. */
export function saltFor(name: string, seed: string): string {
  return createHash('sha256').update(`${seed} ${name}`).digest('hex').slice(0, 32)
}
