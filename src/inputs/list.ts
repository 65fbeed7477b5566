import { type Form, linesOf, parsed } from './form.ts'

export interface ListItem {
  /** Counted from 1, comments and empty lines too. */
  readonly line: number
  readonly text: string
}

/** The items of a list with their lines: one a line, blanks around them gone, `#` beginning a comment line. */
export function listItems(text: string): readonly ListItem[] {
  return linesOf(text)
    .map((line, index) => ({ line: index + 1, text: line.trim() }))
    .filter((item) => item.text !== '' && !item.text.startsWith('#'))
}

export const list: Form<readonly string[]> = (text) => parsed(listItems(text).map((item) => item.text))
