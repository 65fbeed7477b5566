import { placeIn, scanJson } from '../scanJson.ts'
import { type Fault, type Form, faulty, linesOf, settled } from './form.ts'

const ONE_TIME = 'Keep one of the two.'
const NAME_FORM = 'A name is not empty, and has no blank and no "=" in it.'
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
    if (!isKey(key))
      faults.push({ what: `${place} has no usable name before "${sign}"`, remedy: `${NAME_FORM} ${ONE_FORM}` })
    else if (values.has(key)) faults.push({ what: `${place} gives a name a second time`, remedy: ONE_TIME })
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
  const entries = scanJson(text)
  if ('wanted' in entries) {
    return faulty(
      `it begins with "{" and is no JSON object: ${placeIn(text, entries.at)} should have ${entries.wanted}`,
      ONE_FORM,
    )
  }
  const values = new Map<string, string>()
  const faults: Fault[] = []
  for (const { name, token, at } of entries) {
    const complain = (what: string, remedy: string): void => {
      faults.push({ what: `${placeIn(text, at)}: ${what}`, remedy })
    }
    if (!isKey(name)) complain('the entry has no usable name', NAME_FORM)
    else if (values.has(name)) complain('the entry gives a name a second time', ONE_TIME)
    else if (token === undefined || token === 'null')
      complain(
        'the value of the entry is no text, number or boolean',
        'Write a text in double quotes; "" is an empty one.',
      )
    else values.set(name, token.startsWith('"') ? JSON.parse(token) : token)
  }
  return settled(values, faults)
}

function isKey(key: string): boolean {
  return key !== '' && !/[\s=\p{Cc}]/u.test(key)
}
