import { createHash, randomBytes } from 'node:crypto'
import type { Labels } from '../swarm/common.ts'
import { CREDENTIALS_LABEL } from '../swarm/names.ts'

/** Whether a service's labels say that this header was written with it. Without a header there is nothing to say. */
export function bearsCredentials(labels: Labels | null | undefined, header: string | undefined): boolean {
  if (header === undefined) return true
  const known = labels?.[CREDENTIALS_LABEL] ?? ''
  const [salt = ''] = known.split(':', 1)
  return /^[0-9a-f]+:[0-9a-f]{64}$/.test(known) && credentialsLabel(header, salt) === known
}

/** The label's value for a service: the live one as far as it tells this header. */
export function credentialsLabelFor(live: Labels | null | undefined, header: string): string {
  const known = live?.[CREDENTIALS_LABEL]
  return known !== undefined && bearsCredentials(live, header) ? known : credentialsLabel(header)
}

// --- Internal helpers ---

/**
 * The value of the credentials label for an `X-Registry-Auth` header. Swarm never shows the credential that it holds; the salt keeps
 * equal ones of two services apart and guessing expensive.
 */
function credentialsLabel(header: string, salt: string = randomBytes(16).toString('hex')): string {
  return `${salt}:${createHash('sha256').update(salt, 'hex').update(header).digest('hex')}`
}
