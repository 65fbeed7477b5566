// Secrets with a core that occurs nowhere else, and the search for it in whatever a run leaves behind.
import { createHash } from 'node:crypto'

export interface Planted {
  /** A secret whose core is recognised in plain text, in any base64, and so also where only a piece of the secret is shown. */
  plant(name: string, around?: (core: string) => string): string
  /** A text that is secret as it is, such as a key's: each of its long lines. */
  watch(name: string, text: string): void
  readonly count: number
  /** The names of those that a text shows. */
  tracesIn(text: string): readonly string[]
}

export function plantedSecrets(): Planted {
  const cores = new Map<string, string>()
  return {
    plant(name, around = (core) => `pa%s "${core}"/é?&`) {
      const core = createHash('sha256').update(`core of ${name}`).digest('hex').slice(0, 24)
      cores.set(name, core)
      return around(core)
    },
    watch(name, text) {
      for (const [index, line] of text.split(/\r?\n/).entries()) {
        if (line.length > 20 && !line.startsWith('---')) cores.set(`${name}, line ${index + 1}`, line)
      }
    },
    get count() {
      return cores.size
    },
    tracesIn(text) {
      return [...cores].filter(([, core]) => forms(core).some((form) => text.includes(form))).map(([name]) => name)
    },
  }
}

// --- Internal helpers ---

/** The core as it stands, and what it looks like inside a longer base64 text. */
function forms(core: string): readonly string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(core)]).toString('base64')
    return text.replace(/=+$/, '').slice(offset === 0 ? 0 : offset + 1, -1)
  })
  return [
    core,
    encodeURIComponent(core),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}
