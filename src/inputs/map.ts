import { type Fault, type Form, faulty, linesOf, settled } from './form.ts'

const ONE_FORM = 'Write `KEY=value` lines, `KEY<<EOF` … `EOF` for a value of several lines, or one JSON object.'

/**
 * `KEY=value` lines (the value verbatim to the line's end), `KEY<<EOF` for several lines, or one JSON object. Faults name lines,
 * never text: the same form reads `secrets`.
 */
export const map: Form<ReadonlyMap<string, string>> = (text) =>
  text.trimStart().startsWith('{') ? fromJson(text) : fromLines(linesOf(text))

function fromLines(lines: readonly string[]): ReturnType<typeof map> {
  const values = new Map<string, string>()
  const faults: Fault[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const place = `line ${index + 1}`
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const [, rawKey = '', sign, rest = ''] = /^(.*?)(=|<<)(.*)$/.exec(line) ?? []
    if (sign === undefined) {
      faults.push({ what: `${place} is not KEY=value`, remedy: ONE_FORM })
      continue
    }
    const key = rawKey.trim()
    if (!isKey(key)) faults.push({ what: `${place} has no usable name before "${sign}"`, remedy: ONE_FORM })
    else if (values.has(key)) faults.push({ what: `${place} gives a name a second time` })
    if (sign === '=') {
      values.set(key, rest)
      continue
    }
    const end = rest.trim() === '' ? -1 : lines.findIndex((other, at) => at > index && other.trim() === rest.trim())
    if (end === -1) {
      const what = `${place} begins a value of several lines that does not end`
      faults.push({ what, remedy: 'End it with a line that holds only the word after `<<`.' })
      break
    }
    values.set(key, lines.slice(index + 1, end).join('\n'))
    index = end
  }
  return settled(values, faults)
}

function fromJson(text: string): ReturnType<typeof map> {
  let object: unknown
  try {
    object = JSON.parse(text, keepNumberText)
  } catch (error) {
    // V8's message quotes the text around the fault, so only its line is taken.
    const line = /\(line (\d+) /.exec(String(error))?.[1]
    return faulty(
      `it begins with "{" but is no valid JSON object${line === undefined ? '' : ` (line ${line})`}`,
      ONE_FORM,
    )
  }
  const values = new Map<string, string>()
  const faults: Fault[] = []
  for (const [index, [key, value]] of Object.entries(object ?? {}).entries()) {
    const place = `entry ${index + 1} of the JSON object`
    if (!isKey(key)) faults.push({ what: `${place} has no usable name` })
    else if (value === null || typeof value === 'object')
      faults.push({ what: `${place} is no text, number or boolean` })
    else values.set(key, String(value))
  }
  return settled(values, faults)
}

// A version such as 1.10 or a long id must stay as written; Node 20 does not hand out the source and gets the number.
function keepNumberText(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? value) : value
}

function isKey(key: string): boolean {
  return key !== '' && !/[\s=\p{Cc}]/u.test(key)
}
