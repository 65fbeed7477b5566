// Untrusted text in GitHub-flavoured Markdown. In order of preference: a code span, a code block, escaped prose.

import { bounded, cleanLine, cleanLines } from './untrusted.ts'

// Invisible, and no letter: what follows it can't join what precedes to a mention, a reference or an address.
const BREAK = '&#8203;'

/** One line of prose that renders as itself, but for code in backticks: no emphasis, HTML, image, link, @mention, #reference or emoji. */
export function markdownText(text: string, most = 500): string {
  // Code spans are as harmless as text, and what our own sentences are written with.
  return cleanLine(text, most)
    .split(/`([^`\s](?:[^`]{0,200}[^`\s])?)`/)
    .map((part, index) => (index % 2 === 1 ? codeSpan(part) : escaped(part)))
    .join('')
    .replace(/^(\d*)([-+.)])/, '$1\\$2')
}

function escaped(text: string): string {
  return (
    text
      .replace(/[\\`*_[\]~|<>&$@#]/g, (mark) => ESCAPES[mark] ?? `\\${mark}`)
      // GitHub looks for addresses and emoji in what is rendered, where a backslash is gone already.
      .replace(/:(?=\/\/|[\w+-]+:)/g, `:${BREAK}`)
      .replace(/\b(www|GH)(?=[.-])/gi, `$1${BREAK}`)
  )
}

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '@': `@${BREAK}`,
  '#': `\\#${BREAK}`,
  $: `\\$${BREAK}`,
}

/** A code span, which nothing in it can end. Fit for a table too: a bar would end the cell, so it becomes a broken one. */
export function codeSpan(text: string, most = 300): string {
  const line = cleanLine(text, most).replaceAll('|', '¦')
  if (line === '') return ''
  const ticks = '`'.repeat(longestRun(line) + 1)
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${ticks}${pad}${line}${pad}${ticks}`
}

/** A fenced block of the last `most` lines, which nothing in it can end. */
export function codeBlock(text: string, most = 100, width = 1000): string {
  const lines = cleanLines(text, most, width)
  const fence = '`'.repeat(Math.max(3, longestRun(lines.join('\n')) + 1))
  return `${fence}text\n${lines.join('\n')}\n${fence}`
}

/** Folded away under a title of which `code` is untrusted. */
export function details(title: string, code: string, body: string): string {
  const name = code === '' ? '' : ` <code>${htmlText(code)}</code>`
  return `<details><summary>${title}${name}</summary>\n\n${body}\n\n</details>`
}

function htmlText(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '<': '&lt;',
    '>': '&gt;',
    '&': '&amp;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return cleanLine(text, 200).replace(/[<>&"']/g, (mark) => entities[mark] ?? mark)
}

/** A table; the cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
}

/** Blocks joined by empty lines, as many as fit into `most` bytes; a last one says that something is missing. */
export function documentOf(blocks: Iterable<string>, most: number): string {
  const end = '_More than fits in here: the rest is in the log._'
  const fitting: string[] = []
  let bytes = Buffer.byteLength(end) + 4
  for (const block of blocks) {
    bytes += Buffer.byteLength(block) + 2
    if (bytes > most) {
      fitting.push(end)
      break
    }
    fitting.push(block)
  }
  return `${fitting.join('\n\n')}\n`
}

/** `nginx:1.27@sha256:0123456789ab…`: a whole digest makes a table unreadable. */
export function shortImage(image: string): string {
  return bounded(image.replace(/(@sha256:[0-9a-f]{12})[0-9a-f]{52}$/, '$1…'), 300)
}
