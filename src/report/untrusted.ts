// Text from an engine, a registry, a banner, a container or a manifest may be written to deceive a reader, the runner or a page.
// Everything here is idempotent, so that a text may pass twice.

// Strings (OSC, DCS and their like, up to BEL or ST), then CSI sequences and short escapes. A string that nothing ends within its
// line only loses its beginning, so that it can't swallow what follows.
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes are what it removes
  /\x1b[\]PX^_][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g
const LINE_ENDS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g
// Controls but for tab and line feed; format characters (bidi marks and isolates, zero widths, tags); fillers that look like nothing.
const INVISIBLE = /(?![\t\n])\p{Cc}|[\p{Cf}\u115f\u1160\u3164\uffa0]/gu

/** Printable lines with `\n` between them: CR is a line end, escape sequences, control and bidi characters are gone. */
export function cleanText(text: string): string {
  // A lone half of a surrogate pair can't be written as UTF-8; the round trip replaces it.
  return Buffer.from(text).toString().replace(ESCAPES, '').replace(LINE_ENDS, '\n').replace(INVISIBLE, '')
}

/** At most `most` characters, the last one `…` where something is missing. */
export function bounded(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, Math.max(0, most - 1))
  // Not through a surrogate pair.
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** One printable line of at most `most` characters. */
export function cleanLine(text: string, most = 500): string {
  // What is cut away need not be cleaned: a megabyte on one line costs nothing.
  const start = text.length > most * 8 + 1024 ? text.slice(0, most * 8 + 1024) : text
  return bounded(cleanText(start).replace(/\s+/g, ' ').trim(), most)
}

/** The last `most` lines, each printable and at most `width` long; the first one says how many are missing. */
export function cleanLines(text: string, most = 100, width = 1000): readonly string[] {
  // From the end: what is not shown need not be cleaned.
  const lines = cleanText(text.slice(-most * width * 4))
    .split('\n')
    .map((line) => bounded(line.replaceAll('\t', '    ').trimEnd(), width))
  if (lines.at(-1) === '') lines.pop()
  const missing = lines.length - most
  return missing > 0 ? [`… ${missing} earlier lines`, ...lines.slice(missing)] : lines
}

/**
 * The line so that it can't command the runner, which takes `::` for a command at a line's beginning and `##[` anywhere in a line
 * (actions/runner, ActionCommand.cs). A blank in between keeps it readable.
 */
export function safeLine(line: string): string {
  return line.replace(/:(?=:)/g, ': ').replace(/##(?=\[)/g, '## ')
}
