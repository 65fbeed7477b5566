// Dotenv files of the input `env-file`: variables for interpolation. Common semantics: `export`, comments, quotes, and
// values over several lines in quotes. Nothing in them is interpolated.
import type { Problem } from '../errors.ts'
import { decodeText } from './decodeText.ts'
import type { FileReader } from './fileReader.ts'

export interface Dotenv {
  readonly variables: ReadonlyMap<string, string>
  readonly problems: readonly (Problem & { readonly remedy: string })[]
}

interface DotenvError {
  readonly line: number
  /** Without the line's text, which may be a secret. */
  readonly message: string
  readonly remedy: string
}

/**
 * The variables of the file at `path`; problems name file and line, and of what stands there at most a name that no manifest may see.
 * @param isHidden such a name
 */
export function parseDotenv(path: string, readFile: FileReader, isHidden: (name: string) => boolean): Dotenv {
  const file = readFile(path)
  const refuse = (message: string, remedy: string, line?: number, column = 1) => ({
    severity: 'error' as const,
    code: 'input' as const,
    message,
    remedy,
    position: line === undefined ? undefined : { file: file.shown, line, column },
  })
  const none = new Map<string, string>()
  if (file.content === undefined) {
    return { variables: none, problems: [refuse(`the env file ${file.shown} ${file.reason}`, file.remedy)] }
  }
  const text = decodeText(file.content)
  if (typeof text !== 'string') {
    const { message, remedy, line, column } = text
    return {
      variables: none,
      problems: [refuse(`the env file ${file.shown} can not be used: ${message}`, remedy, line, column)],
    }
  }
  const { variables, errors } = parseDotenvText(text, isHidden)
  return {
    variables,
    problems: errors.map(({ line, message, remedy }) =>
      refuse(`the env file ${file.shown}, line ${line}: ${message}`, remedy, line),
    ),
  }
}

const assignment = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/

export function parseDotenvText(
  text: string,
  isHidden: (name: string) => boolean,
): {
  readonly variables: ReadonlyMap<string, string>
  readonly errors: readonly DotenvError[]
} {
  const variables = new Map<string, string>()
  const errors: DotenvError[] = []
  const lines = text.split(/\r?\n/)
  for (let index = 0; index < lines.length; index++) {
    const content = lines[index] ?? ''
    const line = index + 1
    if (/^[ \t]*(#|$)/.test(content)) continue
    const match = assignment.exec(content)
    const name = match?.[1] ?? ''
    if (isHidden(name)) {
      const message = `no manifest can see ${name}, as it can see no INPUT_*, ACTIONS_*, STATE_* and no GITHUB_TOKEN`
      errors.push({ line, message, remedy: 'Choose another name, or take it out.' })
    }
    const rest = content.slice(match?.[0].length ?? 0)
    if (match === null)
      errors.push({ line, message: 'it is no assignment', remedy: 'Write NAME=value, or # before a comment.' })
    else if (rest.startsWith('"') || rest.startsWith("'")) {
      const quoted = readQuoted(lines, index, rest)
      if (typeof quoted === 'string') errors.push({ line, message: quoted, remedy: 'Correct the quotes.' })
      else {
        variables.set(name, quoted.value)
        index = quoted.index
      }
      // An unclosed quote swallows the rest: what follows can not be judged.
      if (quoted === unclosed) break
    } else variables.set(name, rest.replace(/(^|[ \t]+)#.*$/, '').trimEnd())
  }
  return { variables, errors }
}

const unclosed = 'the quote that begins the value is never closed'
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

function readQuoted(lines: readonly string[], start: number, first: string): { value: string; index: number } | string {
  const quote = first.slice(0, 1)
  const pattern = quote === '"' ? /^((?:[^"\\]|\\[\s\S])*)"(.*)$/s : /^([^']*)'(.*)$/s
  let body = first.slice(1)
  for (let index = start; index < lines.length; index++) {
    if (index > start) body += `\n${lines[index]}`
    if (!(lines[index] ?? '').includes(quote)) continue
    const match = pattern.exec(body)
    if (match === null) continue
    const [, inside = '', after = ''] = match
    if (!/^[ \t]*(#.*)?$/.test(after)) return 'there is text after the closing quote'
    const value =
      quote === '"'
        ? inside.replace(/\\([\s\S])/g, (whole, c: string) => escapes[c] ?? ('"\\$`\n'.includes(c) ? c : whole))
        : inside
    return { value, index }
  }
  return unclosed
}
