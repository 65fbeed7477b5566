// Bytes of a manifest or an env file → text, or the reason why they are none.
import { lineAndColumn } from '../lineAndColumn.ts'

export interface NotText {
  readonly message: string
  readonly remedy: string
  /** Into the text decoded so far; 0 where the file as a whole is meant. */
  readonly offset: number
  /** The same place, counted from 1. */
  readonly line: number
  readonly column: number
  /** What could be decoded, so that the place can be shown. */
  readonly text: string
}

const saveAsUtf8 = 'Save the file as UTF-8.'
// What YAML does not allow in a file (libyaml: "control characters are not allowed"), NUL first of all.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/

/** UTF-8, with or without a byte order mark; a lone CR counts as the end of a line, as CRLF does. */
export function decodeText(bytes: Uint8Array): string | NotText {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return notText('the file is UTF-16, and must be UTF-8', saveAsUtf8)
  }
  if (bytes.length >= 4 && (first === 0) !== (second === 0)) {
    return notText('the file looks like UTF-16, and must be UTF-8', saveAsUtf8)
  }
  const text = new TextDecoder('utf-8').decode(bytes).replace(/\r(?!\n)/g, '\n')
  const invalid = invalidAt(bytes, text)
  if (invalid !== undefined) return notText('the file has bytes here that are not UTF-8', saveAsUtf8, text, invalid)
  const found = control.exec(text)
  if (found === null) return text
  const code = found[0].charCodeAt(0)
  const name = code === 0 ? 'a NUL byte' : `the control character U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return notText(`the file has ${name} here, which no manifest may contain`, 'Remove it.', text, found.index)
}

function notText(message: string, remedy: string, text = '', offset = 0): NotText {
  return { message, remedy, offset, ...lineAndColumn(text, offset), text }
}

/** Where the decoder put its replacement character for bytes that are no UTF-8. */
function invalidAt(bytes: Uint8Array, text: string): number | undefined {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return undefined
  } catch {
    return Math.max(0, text.indexOf('\ufffd'))
  }
}
