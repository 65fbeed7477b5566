import type { Problem } from '../errors.ts'
import type { Redactor } from './redactor.ts'
import { SHORTEST_MASK } from './secretForms.ts'

/** Secrets, and what they are called in the warning about those that cannot be masked. */
export type NamedSecrets = Iterable<readonly [name: string, secret: string | Uint8Array]>

/**
 * Hides secrets in everything that is said from now on. All that a run masks goes through here: a warning names those too short for it, the
 * same text once however often it comes.
 * @param setSecret tells the runner
 */
export function createMasking(
  redactor: Pick<Redactor, 'add'>,
  setSecret: (form: string) => void,
  warn: (problem: Problem) => void,
): (secrets: NamedSecrets) => void {
  const told = new Set<string>()
  return (secrets) => {
    const short: (readonly [name: string, text: string])[] = []
    for (const [name, secret] of secrets) {
      redactor.add(secret).forEach(setSecret)
      const text = Buffer.from(secret).toString().trim()
      if (text !== '' && text.length < SHORTEST_MASK && !told.has(text)) short.push([name, text])
    }
    if (short.length === 0) return
    for (const [, text] of short) told.add(text)
    warn({
      severity: 'warning',
      code: 'input',
      message: `too short to be masked, so it may show in the log: ${[...new Set(short.map(([name]) => name))].join(', ')}`,
      remedy: `Use ${SHORTEST_MASK} characters or more.`,
    })
  }
}
