import { type Fault, type Form, faulty, parsed, quoted, settled } from './form.ts'
import { listItems } from './list.ts'

/** One line of text, without the blanks around it. */
export const word: Form<string> = (text) => {
  const trimmed = text.trim()
  return /[\r\n]/.test(trimmed)
    ? faulty('it takes one line, and this has more', 'Write it on one line.')
    : parsed(trimmed)
}

/** Text without the blanks around it: what it may be is for another to say. */
export const trimmed: Form<string> = (text) => parsed(text.trim())

/** One line that GitHub can take for a name: it allows no more than 255 characters. */
export const label: Form<string> = (text) => {
  const line = word(text)
  return line.ok && line.value.length > 255 ? faulty('it has more than 255 characters', 'Shorten it.') : line
}

/** A path from the root, on whichever machine it is for. */
export const absolutePath: Form<string> = (text) => {
  const line = word(text)
  if (line.ok && !line.value.startsWith('/'))
    return faulty(`${quoted(line.value)} is no absolute path`, 'Begin it with a slash.')
  return line
}

/** An address for a browser. */
export const webAddress: Form<string> = (text) => {
  const line = word(text)
  if (!line.ok) return line
  const url = URL.canParse(line.value) ? new URL(line.value) : undefined
  return url?.protocol === 'https:' || url?.protocol === 'http:'
    ? parsed(url.href)
    : faulty(`${quoted(line.value)} is no web address`, 'Begin it with `https://`.')
}

/** Text as given, but for the line end that a YAML block leaves: a password may end in a blank. */
export const verbatim: Form<string> = (text) => parsed(text.replace(/(?:\r?\n)+$/, ''))

/** Text as given, to the last line end: a key, a certificate, a file's content. */
export const document: Form<string> = (text) => parsed(text)

/** A boolean of YAML 1.2's core schema, as `core.getBooleanInput` takes it. */
export const boolean: Form<boolean> = (text) => {
  const trimmed = text.trim()
  if (/^(?:true|True|TRUE)$/.test(trimmed)) return parsed(true)
  if (/^(?:false|False|FALSE)$/.test(trimmed)) return parsed(false)
  return faulty(`${quoted(trimmed)} is no boolean`, 'Write true or false.')
}

/** A boolean, or else names, one a line. */
export const booleanOrList: Form<boolean | readonly string[]> = (text) => {
  const whole = boolean(text)
  return whole.ok ? whole : parsed(listItems(text).map((item) => item.text))
}

/** A whole number from 0 to `most`. */
export function count(most: number): Form<number> {
  return (text) => {
    const trimmed = text.trim()
    const value = /^\d+$/.test(trimmed) ? Number(trimmed) : Number.NaN
    if (value <= most) return parsed(value)
    return faulty(`${quoted(trimmed)} is no whole number from 0 to ${most}`, 'Write one in digits alone, such as `3`.')
  }
}

/** One of some words, spelled exactly so. */
export function choice<const T extends string>(allowed: readonly T[]): Form<T> {
  return (text) => {
    const trimmed = text.trim()
    const found = allowed.find((one) => one === trimmed)
    if (found !== undefined) return parsed(found)
    return faulty(
      `${quoted(trimmed)} is none of its values`,
      `Write ${allowed.map((one) => `\`${one}\``).join(' or ')}.`,
    )
  }
}

/** Some of the words, one a line. */
export function choices<const T extends string>(allowed: readonly T[]): Form<ReadonlySet<T>> {
  return (text) => {
    const known = (word: string): word is T => allowed.some((one) => one === word)
    const items = listItems(text)
    const faults = items
      .filter((item) => !known(item.text))
      .map(({ line, text: word }): Fault => {
        return {
          what: `line ${line}: ${quoted(word)} is none of its values`,
          remedy: `It knows ${allowed.join(', ')}.`,
        }
      })
    return settled(new Set(items.map((item) => item.text).filter(known)), faults)
  }
}

/** A word that stands for itself, or else another form: `auto`, or a number. */
export function wordOr<const W extends string, T>(own: W, other: Form<T>): Form<W | T> {
  return (text) => {
    if (text.trim() === own) return parsed(own)
    const form = other(text)
    if (form.ok) return form
    return settled(
      own,
      form.faults.map(({ what, remedy }) => ({
        what: `${what}, and not \`${own}\``,
        remedy: remedy.replace(/\.$/, `, or \`${own}\`.`),
      })),
    )
  }
}
