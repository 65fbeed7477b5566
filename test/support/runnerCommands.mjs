// Reads a step's output and its files the way GitHub's runner does, so that the tests see what a reader of the log would.

const names = new Set(
  'add-mask add-matcher remove-matcher add-path set-env set-output save-state debug notice warning error group endgroup echo'.split(
    ' ',
  ),
)

/**
 * The workflow command in a line, or undefined. Two forms: `::name key=value::text` at the line's start, after white space;
 * and `##[name key=value;]text` anywhere in it. A name that the runner does not know makes a line of plain text.
 * @returns {{name: string, properties: Record<string, string>, text: string} | undefined}
 */
export function parseCommand(line) {
  const trimmed = line.trimStart()
  const end = trimmed.startsWith('::') ? trimmed.indexOf('::', 2) : -1
  if (end > 0) {
    const command = split(trimmed.slice(2, end), ',', decodeProperty)
    if (command) return { ...command, text: decode(trimmed.slice(end + 2)) }
  }
  const start = line.indexOf('##[')
  const close = start < 0 ? -1 : line.indexOf(']', start)
  if (close < 0) return undefined
  const command = split(line.slice(start + 3, close), ';', decodeOld)
  return command && { ...command, text: decodeOld(line.slice(close + 1)) }
}

function split(info, separator, decodeValue) {
  const [, name = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(info) ?? []
  if (!names.has(name)) return undefined
  const pairs = rest.split(separator).filter((pair) => pair.includes('='))
  const entries = pairs.map((pair) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at).trim(), decodeValue(pair.slice(at + 1))]
  })
  return { name, properties: Object.fromEntries(entries) }
}

const decodeAll = (pairs) => (text) => pairs.reduce((rest, [code, char]) => rest.replaceAll(code, char), text)
const lineEnds = [
  ['%0D', '\r'],
  ['%0A', '\n'],
]
const decode = decodeAll([...lineEnds, ['%25', '%']])
const decodeProperty = decodeAll([...lineEnds, ['%3A', ':'], ['%2C', ','], ['%25', '%']])
const decodeOld = decodeAll([['%3B', ';'], ...lineEnds, ['%5D', ']'], ['%25', '%']])

/** Colour around a whole line is no text; any other escape sequence stays, for a test to find. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a colour begins with
const withoutColour = (line) => line.replace(/^\x1b\[3[123]m([^\x1b]*)\x1b\[0m$/, '$1')

/**
 * Collects a step's lines: the commands in them, and the text of the log as it is shown, with masks in force from the moment they are
 * added.
 */
export function readLog() {
  const commands = []
  const masks = []
  const lines = []
  let stopped
  const mask = (line) => masks.reduce((rest, secret) => rest.replaceAll(secret, '***'), line)
  const take = (line) => {
    if (stopped !== undefined) {
      if (line.trim() === `::${stopped}::`) stopped = undefined
      return mask(line)
    }
    const stop = /^\s*::stop-commands::(.+)$/.exec(line)
    if (stop) {
      stopped = stop[1]
      return undefined
    }
    const command = parseCommand(line)
    if (!command) return mask(line)
    commands.push(command)
    const { name, text } = command
    if (name === 'add-mask') {
      // The runner masks a text of several lines as a whole and line by line.
      const secrets = [text, ...text.split(/\r?\n/)].filter((secret) => secret.trim() !== '')
      masks.push(...secrets)
      masks.sort((a, b) => b.length - a.length)
      return undefined
    }
    if (name === 'group') return mask(`▼ ${text}`)
    if (name === 'error' || name === 'warning' || name === 'notice') {
      const capital = name[0]?.toUpperCase() + name.slice(1)
      return mask(`${capital}: ${text}`)
    }
    return name === 'debug' || name === 'endgroup' ? undefined : mask(line)
  }
  return {
    commands,
    masks,
    lines,
    /** Takes one line and gives back what the log shows for it, if anything. */
    add(line) {
      const taken = take(line)
      const shown = taken === undefined ? undefined : withoutColour(taken)
      if (shown !== undefined) lines.push(shown)
      return shown
    },
  }
}

/**
 * A file of outputs or states: `name=value` lines, or `name<<END`, lines, `END`. Throws where the runner would fail the step.
 * @returns {Record<string, string>}
 */
export function parseFileCommands(text) {
  const values = {}
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? '').replace(/\r$/, '')
    if (line === '') continue
    const equals = line.indexOf('=')
    const heredoc = line.indexOf('<<')
    if (heredoc >= 0 && (equals < 0 || heredoc < equals)) {
      const name = line.slice(0, heredoc)
      const delimiter = line.slice(heredoc + 2)
      if (name === '' || delimiter === '') throw new Error(`output file: '${line}' names no output or no delimiter`)
      const end = lines.findIndex((other, index) => index > at && other.replace(/\r$/, '') === delimiter)
      if (end < 0) throw new Error(`output file: the value of ${name} is not ended by ${delimiter}`)
      values[name] = lines.slice(at + 1, end).join('\n')
      at = end
    } else if (equals > 0) values[line.slice(0, equals)] = line.slice(equals + 1)
    else throw new Error(`output file: the runner rejects the line '${line}'`)
  }
  return values
}
