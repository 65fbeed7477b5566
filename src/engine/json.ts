// JSON with the wire's 64-bit integers: a double holds them exactly only up to 2^53, and a byte limit or a span in nanoseconds that
// changes on the way would show up as a difference that nobody made.
import crypto from 'node:crypto'

/** Marks an integer on its way through JSON.parse and JSON.stringify; nobody else can write it, for it is drawn anew in each process. */
const mark = `bigint:${crypto.randomBytes(12).toString('hex')}:`
const marked = new RegExp(`"${mark}(-?\\d+)"`, 'g')

/** JSON text in which a bigint is a plain integer. Members that are undefined are left out. */
export function toJson(value: unknown): string {
  let any = false
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'bigint') return member
    any = true
    return mark + member
  })
  return any ? text.replace(marked, '$1') : text
}

/** Reads JSON; an integer that a double cannot hold exactly becomes a bigint. */
export function fromJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  return JSON.parse(markIntegers(text), (_key, member: unknown) =>
    typeof member === 'string' && member.startsWith(mark) ? BigInt(member.slice(mark.length)) : member,
  )
}

/** Puts the integers in question into marked strings, leaving what is inside of strings alone. */
function markIntegers(text: string): string {
  const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  let out = ''
  let copied = 0
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at)
    if (char === '"') {
      at = endOfString(text, at)
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      number.lastIndex = at
      const digits = number.exec(text)?.[0] ?? char
      if (/^-?\d{16,}$/.test(digits) && !Number.isSafeInteger(Number(digits))) {
        out += `${text.slice(copied, at)}"${mark}${digits}"`
        copied = at + digits.length
      }
      at += digits.length
    } else {
      at += 1
    }
  }
  return out + text.slice(copied)
}

function endOfString(text: string, start: number): number {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
  } while (isEscaped(text, end))
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charAt(at - 1 - slashes) === '\\') slashes += 1
  return slashes % 2 === 1
}
