import { createBase64Pieces } from './base64Pieces.ts'
import { createFormIndex, type FormIndex, join, type Range } from './formIndex.ts'
import { bytesOfSecret, secretForms } from './secretForms.ts'

/** What stands for a secret, as in the runner's own log. */
const MASK = '***'

/** Shorter ones may come about by chance where two lines meet. */
const SHORTEST_BROKEN = 8

/** Knows the secrets of a run and takes them out of texts. The runner's masking does the same for the log, and for nothing else. */
export interface Redactor {
  /** Remembers a secret in all its forms and returns those that are new: each is to be handed to `core.setSecret`. */
  add(secret: string | Uint8Array): readonly string[]
  /** The text without any form of any secret. */
  redact(text: string): string
  /** The same for lines that belong together, such as those of a log: a secret may be broken over them. */
  redactLines(lines: readonly string[]): readonly string[]
}

export function createRedactor(): Redactor {
  const known = new Set<string>()
  const forms = createFormIndex()
  /** The forms as they are without their line ends. */
  const unbroken = createFormIndex()
  const pieces = createBase64Pieces()
  const rangesIn = (text: string): readonly Range[] => {
    const ranges = [forms.rangesIn(text), pieces.rangesIn(text)]
    if (text.includes('\n')) ranges.push(brokenRanges(text, unbroken))
    return merged(ranges)
  }
  return {
    add(secret) {
      const added = [...secretForms(secret)].filter((form) => !known.has(form))
      for (const form of added) {
        known.add(form)
        forms.add(form)
        const joined = joinLines(form).text
        if (joined.length >= SHORTEST_BROKEN) unbroken.add(joined)
      }
      if (added.length > 0) bytesOfSecret(secret).forEach(pieces.add)
      return added
    },
    redact: (text) => masked(text, 0, text.length, rangesIn(text)),
    redactLines(lines) {
      const text = lines.join('\n')
      const ranges = rangesIn(text)
      if (ranges.length === 0) return lines
      let from = 0
      let next = 0
      return lines.map((line) => {
        const to = from + line.length
        while (next < ranges.length && (ranges[next]?.[1] ?? 0) <= from) next++
        const own: Range[] = []
        for (let at = next; at < ranges.length && (ranges[at]?.[0] ?? to) < to; at++) own.push(ranges[at] ?? [to, to])
        const result = masked(text, from, to, own)
        from = to + 1
        return result
      })
    },
  }
}

// --- Internal helpers ---

/** Secrets may overlap: replaced one after the other, the first would leave a piece of the second. */
function merged(found: readonly (readonly Range[])[]): readonly Range[] {
  const result: Range[] = []
  for (const range of found.flat().sort(([a], [b]) => a - b)) join(result, range)
  return result
}

/** A part of the text, with a mask for what of it lies in the ranges. */
function masked(text: string, start: number, end: number, ranges: readonly Range[]): string {
  let result = ''
  let at = start
  for (const [from, to] of ranges) {
    result += text.slice(at, Math.max(at, from)) + MASK
    at = Math.min(to, end)
  }
  return result + text.slice(at, end)
}

/** Those that line ends, and blanks around them, may break anywhere. */
function brokenRanges(text: string, unbroken: FormIndex): readonly Range[] {
  const joined = joinLines(text)
  return unbroken.rangesIn(joined.text).map(([from, to]) => [joined.placeOf(from), joined.placeOf(to - 1) + 1])
}

/** A text without its line ends and the blanks around them, and where each of its characters was before. */
function joinLines(text: string): { readonly text: string; placeOf(at: number): number } {
  const lines: { readonly start: number; readonly place: number }[] = []
  let joined = ''
  for (const { 0: line, index } of text.matchAll(/\S(?:.*\S)?/g)) {
    lines.push({ start: joined.length, place: index })
    joined += line
  }
  return {
    text: joined,
    placeOf(at) {
      let [low, high] = [0, lines.length - 1]
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        if ((lines[middle]?.start ?? 0) <= at) low = middle
        else high = middle - 1
      }
      return at - (lines[low]?.start ?? 0) + (lines[low]?.place ?? 0)
    },
  }
}
