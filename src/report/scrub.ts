import type { Redactor } from './redactor.ts'
import { cleanText } from './untrusted.ts'

/** Printable text without secrets. Cleaning may join what was apart, so it is looked at before and after. */
export function scrub(redactor: Pick<Redactor, 'redact'>, text: string): string {
  return redactor.redact(cleanText(redactor.redact(text)))
}

// Words of our own, which a secret that happens to be such a word must not break.
const OWN_WORDS: ReadonlySet<string> = new Set([
  'status',
  'state',
  'code',
  'kind',
  'action',
  'severity',
  'stream',
  'restarts',
  'mode',
  'command',
  'planId',
])

/**
 * A finding, an outcome or the like with every text in it scrubbed. It has to come before rendering: a secret that was cut in two
 * is recognised by nobody.
 */
export function scrubAll<T>(redactor: Pick<Redactor, 'redact'>, value: T): T {
  return scrubbed(value) as T

  function scrubbed(part: unknown): unknown {
    if (typeof part === 'string') return scrub(redactor, part)
    if (Array.isArray(part)) return part.map(scrubbed)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, OWN_WORDS.has(key) ? one : scrubbed(one)]))
  }
}
