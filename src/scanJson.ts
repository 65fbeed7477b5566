// Where a JSON text is none. The runtime's own parser says it in some versions and for some faults only, and quotes the text around.
import { lineAndColumn } from './lineAndColumn.ts'

export interface JsonEntry {
  readonly name: string
  /** The text as it stands there, quotes and all, so that a number keeps its digits; undefined for a list or an object. */
  readonly token: string | undefined
  /** Where its name begins: an offset into the text. */
  readonly at: number
}

/** A fault, without any of the text. `wanted` is what should stand at its place: "a comma or `}`". */
export interface JsonFault {
  readonly at: number
  readonly wanted: string
}

const BLANKS = /[ \t\r\n]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them in a text
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const OTHER = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

/** The entries of a JSON object in their order, each time that a name is given; or the first fault. Source of the grammar: RFC 8259. */
export function scanJson(text: string): readonly JsonEntry[] | JsonFault {
  const entries: { name: string; token: string | undefined; at: number }[] = []
  const open: ('}' | ']')[] = []
  let at = 0
  let state: 'value' | 'first value' | 'name' | 'first name' | 'more' = 'value'
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  const sign = (...signs: readonly string[]): string | undefined => {
    const found = signs.find((one) => one === text[at])
    at += found?.length ?? 0
    return found
  }
  const fault = (wanted: string): JsonFault => ({
    at,
    wanted:
      text[at] === '"' && !wanted.startsWith('a comma')
        ? 'a text that ends with a quote, and has `\\n` for a line break, `\\t` for a tab and `\\\\` for a backslash'
        : wanted,
  })
  for (;;) {
    take(BLANKS)
    const closing = open.at(-1)
    if (state === 'more') {
      if (closing === undefined) break
      const next = sign(',', closing)
      if (next === undefined) return fault(`a comma or \`${closing}\``)
      if (next === closing) open.pop()
      else state = closing === '}' ? 'name' : 'value'
    } else if (closing !== undefined && state.startsWith('first') && sign(closing) !== undefined) {
      open.pop()
      state = 'more'
    } else if (state === 'name' || state === 'first name') {
      const start = at
      const name = take(STRING)
      if (name === undefined) return fault('a name in double quotes')
      take(BLANKS)
      if (sign(':') === undefined) return fault('a colon')
      if (open.length === 1) entries.push({ name: JSON.parse(name), token: undefined, at: start })
      state = 'value'
    } else {
      const opened = sign('{', '[')
      if (opened !== undefined) {
        open.push(opened === '{' ? '}' : ']')
        state = opened === '{' ? 'first name' : 'first value'
        continue
      }
      const token = take(STRING) ?? take(OTHER)
      if (token === undefined) return fault('a value: a text in double quotes, a number, true or false')
      const entry = entries.at(-1)
      if (open.length === 1 && entry !== undefined) entry.token = token
      state = 'more'
    }
  }
  if (at < text.length) return fault('nothing more')
  return entries
}

/** `line 3, column 5`, both counted from 1. */
export function placeIn(text: string, offset: number): string {
  const { line, column } = lineAndColumn(text, offset)
  return `line ${line}, column ${column}`
}
