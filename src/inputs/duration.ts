import { type Form, faulty, parsed, quoted } from './form.ts'

// Nanoseconds; Go's time.ParseDuration knows both signs that people type for micro (U+00B5 and U+03BC).
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}
const LONGEST = (1n << 63n) - 1n
const PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y

/**
 * A duration as Go writes it (`90s`, `1h30m`, `1.5h`) or a bare number of seconds, in milliseconds. Go's own bound of 292 years
 * holds; negative ones are refused, and 0 too unless `zero` allows it.
 */
export function duration(zero: 'zero allowed' | 'more than zero'): Form<number> {
  return (text) => {
    const trimmed = text.trim()
    const nanoseconds = parse(/^\d+(?:\.\d+)?$/.test(trimmed) ? `${trimmed}s` : trimmed)
    if (nanoseconds === undefined) {
      return faulty(
        `${quoted(trimmed)} is no duration`,
        'Write one such as `90s`, `5m` or `1h30m`; a bare number is seconds.',
      )
    }
    if (nanoseconds === 0n && zero === 'more than zero') return faulty(`${quoted(trimmed)} is no time at all`)
    return parsed(Number(nanoseconds) / 1e6)
  }
}

function parse(text: string): bigint | undefined {
  if (text === '') return undefined
  let total = 0n
  PART.lastIndex = 0
  for (let at = 0; at < text.length; at = PART.lastIndex) {
    const match = PART.exec(text)
    if (match === null) return undefined
    const [, whole = '', fraction = '', unit = ''] = match
    const nanoseconds = UNITS[unit]
    if (nanoseconds === undefined || whole + fraction === '') return undefined
    total += BigInt(whole === '' ? 0 : whole) * nanoseconds
    // Beyond the nanosecond nothing is left of a fraction; eighteen digits are more than enough and bound the work.
    const digits = fraction.slice(0, 18)
    if (digits !== '') total += (BigInt(digits) * nanoseconds) / 10n ** BigInt(digits.length)
    if (total > LONGEST) return undefined
  }
  return total
}
