// Durations as Go's time.ParseDuration reads them (`1h30m`, `1.5s`, `-3ms`), in exact nanoseconds.

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

const part = /([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)/y
const largest = 2n ** 63n - 1n

/** Nanoseconds; undefined where Go refuses the text or 64 bits do not hold it. */
export function parseGoDuration(text: string): bigint | undefined {
  const sign = /^[-+]/.test(text) ? text.slice(0, 1) : ''
  const rest = text.slice(sign.length)
  if (rest === '0') return 0n
  if (rest === '') return undefined
  let total = 0n
  part.lastIndex = 0
  while (part.lastIndex < rest.length) {
    const match = part.exec(rest)
    if (match === null) return undefined
    const [, whole = '', fraction = '', unit = ''] = match
    if (whole === '' && fraction === '') return undefined
    const size = units[unit] ?? 0n
    // Go drops what is finer than a nanosecond.
    total += BigInt(whole === '' ? 0 : whole) * size
    if (fraction !== '') total += (BigInt(fraction.slice(0, 40)) * size) / 10n ** BigInt(Math.min(fraction.length, 40))
    if (total > largest) return undefined
  }
  return sign === '-' ? -total : total
}
