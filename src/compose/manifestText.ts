import type { Written } from './asWritten.ts'

/** Shorter values of variables are looked for only where they are all that is shown: "4" is part of too many words. */
const shortest = 4

/**
 * How the manifest itself writes a value that a swarm is asked for: the text before interpolation, `${NAME}` for what a variable held,
 * or the value, where the manifest's files hold it in plain text. Undefined for any other, such as one from an env file: it may be a
 * secret that no file of the manifest gives away.
 * The answer's second argument is the key of the mapping that the value stands in: a line that has the value but not the key says
 * nothing of it.
 * @param files the manifests, and what they include or extend
 */
export function manifestText(
  { values, texts }: Written,
  files: Iterable<Uint8Array>,
): (value: string, key?: string) => string | undefined {
  const lines = [...files].flatMap((bytes) => Buffer.from(bytes).toString('utf8').split('\n'))
  const isThere = (text: string, key: string): boolean =>
    lines.some((line) => line.includes(text) && line.includes(key))
  const long = [...values].filter(([value]) => value.length >= shortest).sort(([a], [b]) => b.length - a.length)
  return (value, key = '') => {
    if (value === '') return value
    const text = texts.get(value)
    if (text !== undefined) return text
    const name = values.get(value)
    if (name !== undefined) return `\${${name}}`
    if (isThere(value, key)) return value
    const replaced = long.reduce((shown, [held, variable]) => shown.replaceAll(held, `\${${variable}}`), value)
    return replaced !== value && isThere(replaced, key) ? replaced : undefined
  }
}
