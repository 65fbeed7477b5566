// Messages about a manifest show it before interpolation, for what a variable holds may be a secret. Messages of the loader
// show a scalar's text as written; this is for everything that was put together from values since.
import type { Problem } from '../errors.ts'
import type { Variables } from './variables.ts'

/** Shorter ones are taken out only where they are all that is quoted: "4" occurs in too many sentences. */
const shortest = 4
/** A value that may be a word of the message itself. */
const plainWord = /^[a-z-]+$/
/** Where a message shows a value: quoted, in parentheses, after an equals sign, as a number, or as its last word. */
const shownValue = /(?<=")[^"]+(?=")|(?<=\()[^\s()]+(?=\))|(?<==)[\w-]+|(?<![\w.])\d{4,}(?![\w.])|(?<=: )[^\s"():]+$/g

/** Passes variables on and notes the value of each that was asked for. */
export function noteValues(variables: Variables, noted: Map<string, string>): Variables {
  return {
    isHidden: (name) => variables.isHidden(name),
    get: (name) => {
      const value = variables.get(name)
      if (value !== undefined && value !== '') noted.set(name, value)
      return value
    },
  }
}

/**
 * Takes the values of variables out of problems: `${NAME}` stands there instead. `names` are those of services and other
 * things, which stand in the manifest as they are.
 */
export function asWritten(
  values: ReadonlyMap<string, string>,
  names: ReadonlySet<string>,
): (problem: Problem) => Problem {
  const held = [...values]
    .filter(([, value]) => !names.has(value))
    .sort(([, left], [, right]) => right.length - left.length)
  if (held.length === 0) return (problem) => problem
  const clean = (text: string): string => inValues(inText(text, held), held)
  return (problem) => ({
    ...problem,
    message: clean(problem.message),
    ...(problem.remedy !== undefined && { remedy: clean(problem.remedy) }),
  })
}

// --- Internal helpers ---

type Held = readonly (readonly [name: string, value: string])[]

/** Anywhere in the text, but not within a longer word. */
function inText(text: string, held: Held): string {
  let clean = text
  for (const [name, value] of held) {
    if (value.length >= shortest && !plainWord.test(value)) clean = replaceWhole(clean, name, value)
  }
  return clean
}

/** Where the text shows a value: also words, and parts of what a variable holds. */
function inValues(text: string, held: Held): string {
  return text.replace(shownValue, (shown) => {
    const same = held.find(([, value]) => value === shown)
    if (same !== undefined) return reference(same[0])
    let clean = shown
    for (const [name, value] of held) if (value.length >= shortest) clean = replaceWhole(clean, name, value)
    if (clean !== shown || shown.length < shortest || shown.endsWith(':')) return clean
    const whole = held.find(([, value]) => value.includes(shown))
    return whole === undefined ? shown : reference(whole[0])
  })
}

function replaceWhole(text: string, name: string, value: string): string {
  let clean = ''
  let done = 0
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, done)) {
    const end = at + value.length
    const within =
      joined(text.charAt(at - 1), value.charAt(0)) || joined(value.charAt(value.length - 1), text.charAt(end))
    clean += text.slice(done, at) + (within ? value : reference(name))
    done = end
  }
  return clean + text.slice(done)
}

/** Whether two neighbours belong to one word. */
function joined(left: string, right: string): boolean {
  return /\w/.test(left) && /\w/.test(right)
}

function reference(name: string): string {
  return `\${${name}}`
}
