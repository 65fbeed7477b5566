// Messages about a manifest show it before interpolation, for what a variable holds may be a secret. Messages of the loader
// show a scalar's text as written; this is for everything that was put together from values since.
import type { Problem } from '../errors.ts'
import type { Variables } from './variables.ts'

/** What variables have brought into a manifest. */
export interface Written {
  /** What a variable holds, and the variable's name. */
  readonly values: Map<string, string>
  /** A scalar's text after interpolation, and before. */
  readonly texts: Map<string, string>
}

/** Shorter values are taken out only where they are all that is shown: "4" occurs in too many sentences. */
const shortest = 4
/** A value that may be a word of the message itself. */
const plainWord = /^[a-z-]+$/
/** Where a message shows a value: quoted, in parentheses, after an equals sign, as a number, or as its last word. */
const shownValue = /(?<=")[^"]+(?=")|(?<=\()[^\s()]+(?=\))|(?<==)[\w-]+|(?<![\w.])\d{4,}(?![\w.])|(?<=: )[^\s"():]+$/g

/** Passes variables on, and notes what was asked for and what became of it. */
export function noteValues(variables: Variables, { values, texts }: Written): Variables {
  return {
    isHidden: (name) => variables.isHidden(name),
    get: (name) => {
      const value = variables.get(name)
      if (value !== undefined && value !== '') values.set(value, name)
      return value
    },
    note: (text, written) => texts.set(text, written),
  }
}

/**
 * Takes the values of variables out of problems: the manifest's own text, or `${NAME}`, stands there instead. `names` are those
 * of services and other things, which stand in the manifest as they are.
 */
export function asWritten({ values, texts }: Written, names: ReadonlySet<string>): (problem: Problem) => Problem {
  const held = [...values].filter(([value]) => !names.has(value))
  if (held.length === 0) return (problem) => problem
  const long = held.filter(([value]) => value.length >= shortest)
  const anywhere = candidates(long)
  const unmistakable = candidates(long.filter(([value]) => !plainWord.test(value)))
  const withQuotes = candidates(long.filter(([value]) => value.includes('"')))
  const allTexts = [...texts.keys()].join('\0')
  const allValues = held.map(([value]) => value).join('\0')

  const show = (shown: string): string => {
    const text = texts.get(shown)
    if (text !== undefined && !names.has(shown)) return text
    const name = values.get(shown)
    if (name !== undefined && !names.has(shown)) return reference(name)
    if (shown.length < shortest) return shown
    const clean = replace(shown, anywhere, allTexts.includes(shown))
    if (clean !== shown || shown.endsWith(':') || !allValues.includes(shown)) return clean
    const whole = held.find(([value]) => value.includes(shown))
    return whole === undefined ? shown : reference(whole[1])
  }
  // Thousands of messages have one remedy.
  const cleaned = new Map<string, string>()
  const clean = (text: string): string => {
    const earlier = cleaned.get(text)
    if (earlier !== undefined) return earlier
    const now = replace(replace(text, withQuotes, true).replace(shownValue, show), unmistakable, false)
    cleaned.set(text, now)
    return now
  }
  return (problem) => ({
    ...problem,
    message: clean(problem.message),
    ...(problem.remedy !== undefined && { remedy: clean(problem.remedy) }),
  })
}

// --- Internal helpers ---

/** Values with their names, the longest first, by their first characters: there may be thousands, for thousands of messages. */
type Candidates = ReadonlyMap<string, readonly (readonly [value: string, name: string])[]>

function candidates(held: readonly (readonly [value: string, name: string])[]): Candidates {
  const known = new Map<string, (readonly [value: string, name: string])[]>()
  for (const one of [...held].sort(([left], [right]) => right.length - left.length)) {
    const start = one[0].slice(0, shortest)
    const earlier = known.get(start)
    if (earlier === undefined) known.set(start, [one])
    else earlier.push(one)
  }
  return known
}

/** Puts names in the place of values; of such that are part of a longer word only `withinWords`. */
function replace(text: string, known: Candidates, withinWords: boolean): string {
  if (known.size === 0) return text
  let clean = ''
  let at = 0
  while (at < text.length) {
    const found = known.get(text.slice(at, at + shortest))?.find(([value]) => {
      const end = at + value.length
      const isPart = joined(text.charAt(at - 1), value.charAt(0)) || joined(value.slice(-1), text.charAt(end))
      return text.startsWith(value, at) && (withinWords || !isPart)
    })
    clean += found === undefined ? text.charAt(at) : reference(found[1])
    at += found === undefined ? 1 : found[0].length
  }
  return clean
}

/** Whether two neighbours belong to one word. */
function joined(left: string, right: string): boolean {
  return /\w/.test(left) && /\w/.test(right)
}

function reference(name: string): string {
  return `\${${name}}`
}
