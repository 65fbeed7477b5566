import { alignments } from './base64Pieces.ts'
import { cleanText } from './untrusted.ts'

/** Where tools break a long base64 text: PEM and openssl, then MIME and the command `base64`. */
const BASE64_WIDTHS = [64, 76]

/** Shorter pieces of base64 say little, and may occur by chance. */
const SHORTEST_BASE64 = 8

/** Shorter ones occur in every text: masking them would hide everything and betray them too. */
export const SHORTEST_MASK = 4

/**
 * Every text by which a secret could be recognised: itself, each line of it, and of each their base64, base64url, URL and JSON
 * forms. The base64 forms include what its characters look like inside a longer base64 text, such as `user:password`.
 * @param secret bytes, where it need not be text
 */
export function secretForms(secret: string | Uint8Array): ReadonlySet<string> {
  const forms = new Set<string>()
  const add = (form: string): void => {
    if (form.trim().length >= SHORTEST_MASK) forms.add(form)
  }
  const whole = Buffer.from(secret).toString()
  for (const text of new Set([whole, whole.trim(), ...parts(whole)])) {
    if (text.trim().length < SHORTEST_MASK) continue
    const json = jsonForms(text)
    for (const form of [text, cleanText(text), ...urlForms(text), ...json]) add(form)
    // A login is sent as the base64 of JSON.
    for (const form of new Set([text, ...json])) base64Forms(Buffer.from(form)).forEach(add)
  }
  // What is no text is another one as text.
  if (typeof secret !== 'string' && secret.length >= SHORTEST_MASK) base64Forms(Buffer.from(secret)).forEach(add)
  return forms
}

/** What of a secret its pieces in base64 are made from. A login is sent as the base64 of JSON; what is no text is another one as text. */
export function bytesOfSecret(secret: string | Uint8Array): readonly Uint8Array[] {
  const whole = Buffer.from(secret).toString()
  if (whole.trim().length < SHORTEST_MASK) return []
  const texts = [whole, whole.replaceAll('\r\n', '\n')].flatMap((text) => [text, ...jsonForms(text)])
  const bytes = [...new Set(texts)].map((text) => Buffer.from(text))
  return typeof secret === 'string' ? bytes : [secret, ...bytes]
}

function parts(secret: string): readonly string[] {
  const unix = secret.replaceAll('\r\n', '\n')
  return [unix, unix.trim(), ...secret.split(/[\r\n]+/).flatMap((line) => [line, line.trim()])]
}

function base64Forms(bytes: Buffer): readonly string[] {
  const forms = [bytes.toString('base64')]
  for (const [offset, inner] of alignments(bytes).entries()) {
    if (inner.length >= SHORTEST_BASE64) forms.push(inner)
    // The runner's own masking reads a log line by line.
    if (offset === 0) forms.push(...BASE64_WIDTHS.flatMap((width) => brokenAt(width, inner)))
  }
  const url = forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))
  return [...forms, ...url].flatMap((form) => [form, form.replace(/=+$/, '')])
}

function brokenAt(width: number, text: string): readonly string[] {
  const lines = Array.from({ length: Math.ceil(text.length / width) }, (_, line) =>
    text.slice(line * width, (line + 1) * width),
  )
  return lines.filter((line) => line.length >= SHORTEST_BASE64)
}

function urlForms(text: string): readonly string[] {
  const whole = Buffer.from(text).toString()
  const component = encodeURIComponent(whole)
  const strict = component.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  const login = new URL('https://host')
  login.password = whole
  const forms = [
    ...[component, strict, encodeURI(whole), component.replaceAll('%20', '+'), strict.replaceAll('%20', '+')],
    login.password,
    ...KEPT_IN_URLS.map((kept) => strict.replace(/%(2[4-F]|3[A-F]|40)/g, (code) => keptAs(code, kept))),
  ]
  const lower = forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
  return [...forms, ...lower]
}

/** What Go leaves as it is in a segment of a path, a path and a login; source: net/url, shouldEscape. */
const KEPT_IN_URLS = ['$&+=:@', '$&+,/:;=@', '$&+,;=']

function keptAs(code: string, kept: string): string {
  const mark = String.fromCharCode(Number.parseInt(code.slice(1), 16))
  return kept.includes(mark) ? mark : code
}

function jsonForms(text: string): readonly string[] {
  const plain = JSON.stringify(text).slice(1, -1)
  const unicode = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`
  // Go escapes what HTML minds, Python and PHP what is not ASCII, PHP the slash.
  return [
    plain,
    plain.replace(/[<>&\u2028\u2029]/g, unicode),
    plain.replace(/[^\x20-\x7e]/g, unicode),
    plain.replaceAll('/', '\\/'),
  ]
}
