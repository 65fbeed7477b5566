import { parseGoDuration } from '../compose/goDuration.ts'
import { type Form, faulty, parsed, quoted } from './form.ts'

/**
 * A duration as Go writes it (`90s`, `1h30m`, `1.5h`) or a bare number of seconds, in milliseconds. Go's own bound of 292 years
 * holds; negative ones are refused, and 0 too unless `zero` allows it.
 */
export function duration(zero: 'zero allowed' | 'more than zero'): Form<number> {
  return (text) => {
    const trimmed = text.trim()
    const nanoseconds = parseGoDuration(/^\d+(?:\.\d+)?$/.test(trimmed) ? `${trimmed}s` : trimmed)
    if (nanoseconds === undefined || nanoseconds < 0n) {
      return faulty(
        `${quoted(trimmed)} is no duration`,
        'Write one such as `90s`, `5m` or `1h30m`; a bare number is seconds.',
      )
    }
    if (nanoseconds === 0n && zero === 'more than zero') {
      return faulty(
        `${quoted(trimmed)} is no time at all, and nothing could be done in it`,
        'Write more than 0, such as `90s` or `5m`, or leave it out for the default.',
      )
    }
    return parsed(Number(nanoseconds) / 1e6)
  }
}
