// A file that is being read: its text, and the way from an offset in it to a line, a column and an excerpt.
import type { Position } from '../errors.ts'

export interface Source {
  /** As shown in messages: relative to the workspace. */
  readonly file: string
  readonly text: string
  /** The offset at which each line begins. */
  readonly lines: readonly number[]
}

/** A point of a source; cheap to carry along, made into a `Position` only where a message needs it. */
export interface Place {
  readonly source: Source
  readonly offset: number
}

const excerptWidth = 100

export function makeSource(file: string, text: string): Source {
  const lines = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.push(at + 1)
  return { file, text, lines }
}

export function positionOf({ source, offset }: Place): Position {
  const line = lineIndex(source, offset)
  return { file: source.file, line: line + 1, column: offset - (source.lines[line] ?? 0) + 1 }
}

/** The source line (a window of it, if it is long) and a caret under the column. */
export function excerptOf({ source, offset }: Place): string {
  const line = lineIndex(source, offset)
  const start = source.lines[line] ?? 0
  const end = source.lines[line + 1] ?? source.text.length + 1
  const text = source.text.slice(start, end - 1).replace(/\r$/, '')
  const column = Math.min(offset - start, text.length)
  const from = column > excerptWidth - 20 ? column - 40 : 0
  const shown = text.slice(from, from + excerptWidth)
  const number = String(line + 1)
  // Tabs stay tabs, so that the caret stands under its character whatever a tab's width is.
  const indent = shown.slice(0, column - from).replace(/[^\t]/g, ' ')
  return `${number} | ${from > 0 ? '…' : ''}${shown}\n${' '.repeat(number.length)} | ${from > 0 ? ' ' : ''}${indent}^`
}

function lineIndex({ lines }: Source, offset: number): number {
  let low = 0
  let high = lines.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((lines[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
