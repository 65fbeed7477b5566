import { secretForms } from './secretForms.ts'

/** What stands for a secret, as in the runner's own log. */
const MASK = '***'

/** Knows the secrets of a run and takes them out of texts. The runner's masking does the same for the log, and for nothing else. */
export interface Redactor {
  /** Remembers a secret in all its forms and returns those that are new: each is to be handed to `core.setSecret`. */
  add(secret: string | Uint8Array): readonly string[]
  /** The text without any form of any secret. */
  redact(text: string): string
}

export function createRedactor(): Redactor {
  const forms = new Set<string>()
  return {
    add(secret) {
      const added = [...secretForms(secret)].filter((form) => !forms.has(form))
      for (const form of added) forms.add(form)
      return added
    },
    redact(text) {
      const ranges = [...forms].flatMap((form) => occurrences(text, form)).sort(([a], [b]) => a - b)
      if (ranges.length === 0) return text
      let result = ''
      let end = 0
      for (const [from, to] of ranges) {
        // Secrets may overlap: replaced one after the other, the first would leave a piece of the second.
        if (from >= end) result += text.slice(end, from) + MASK
        end = Math.max(end, to)
      }
      return result + text.slice(end)
    },
  }
}

type Range = readonly [from: number, to: number]

function occurrences(text: string, form: string): readonly Range[] {
  const found: Range[] = []
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
    const last = found.at(-1)
    // Overlapping itself, as `aaaa` does in a row of a's: one range, or a long row makes millions.
    if (last !== undefined && at < last[1]) found[found.length - 1] = [last[0], at + form.length]
    else found.push([at, at + form.length])
  }
  return found
}
