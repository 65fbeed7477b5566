import type { Written } from './asWritten.ts'

/** Shorter values of variables are looked for only where they are all that is shown: "4" is part of too many words. */
const shortest = 4

/**
 * How the manifest itself writes a value that a swarm is asked for: the text before interpolation, `${NAME}` for what a variable held,
 * or the value, where the manifest's files hold it in plain text. Undefined for any other, such as one from an env file: it may be a
 * secret that no file of the manifest gives away.
 * @param files the manifests, and what they include or extend
 */
export function manifestText(
  { values, texts }: Written,
  files: Iterable<Uint8Array>,
): (value: string) => string | undefined {
  const sources = [...files].map((bytes) => Buffer.from(bytes).toString('utf8'))
  const isThere = (text: string): boolean => sources.some((source) => source.includes(text))
  const long = [...values].filter(([value]) => value.length >= shortest).sort(([a], [b]) => b.length - a.length)
  return (value) => {
    if (value === '') return value
    const text = texts.get(value)
    if (text !== undefined) return text
    const name = values.get(value)
    if (name !== undefined) return `\${${name}}`
    if (isThere(value)) return value
    const replaced = long.reduce((shown, [held, variable]) => shown.replaceAll(held, `\${${variable}}`), value)
    return replaced !== value && isThere(replaced) ? replaced : undefined
  }
}
