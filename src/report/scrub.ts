import type { LogLine } from '../engine/engine.ts'
import type { Redactor } from './redactor.ts'
import { cleanText } from './untrusted.ts'

/** What takes secrets out of texts and of lines that belong together. */
export type Redaction = Pick<Redactor, 'redact' | 'redactLines'>

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
export function scrubAll<T>(redactor: Redaction, value: T): T {
  return scrubbed(value) as T

  function scrubbed(part: unknown): unknown {
    if (typeof part === 'string') return scrub(redactor, part)
    if (Array.isArray(part))
      return part.length > 0 && part.every(isLogLine) ? scrubLog(redactor, part) : part.map(scrubbed)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, OWN_WORDS.has(key) ? one : scrubbed(one)]))
  }
}

// --- Internal helpers ---

/** The end of a container's log: a secret may be broken over its lines. */
function scrubLog(redactor: Redaction, log: readonly LogLine[]): readonly LogLine[] {
  const texts = redactor.redactLines(redactor.redactLines(log.map(({ text }) => text)).map(cleanText))
  return log.map(({ stream, timestamp }, index) => ({
    stream,
    timestamp: scrub(redactor, timestamp),
    text: texts[index] ?? '',
  }))
}

function isLogLine(part: unknown): part is LogLine {
  return typeof part === 'object' && part !== null && 'stream' in part && 'text' in part
}
