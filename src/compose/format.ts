// Forms of texts that a rule can ask for.
import { parseGoDuration } from './goDuration.ts'
import type { Format } from './rule.ts'
import { parseShortPort } from './shortPort.ts'

export interface FormatProblem {
  readonly message: string
  readonly remedy: string
}

/** Why a text has not the form, or undefined. */
export function checkFormat(text: string, format: Format): FormatProblem | undefined {
  switch (format) {
    case 'duration':
      if (parseGoDuration(text) !== undefined) return undefined
      return {
        message: 'is not a duration',
        remedy: /^[0-9.]+$/.test(text)
          ? 'Add a unit, such as "s".'
          : 'Write numbers with the units ns, us, ms, s, m and h, such as "1m30s".',
      }
    case 'expose':
      if (/^[0-9]+(-[0-9]+)?(\/[a-zA-Z]+)?$/.test(text)) return undefined
      return { message: 'is not a port', remedy: 'Write a port, such as "8080" or "53/udp".' }
    case 'port': {
      const parsed = parseShortPort(text)
      if (typeof parsed !== 'string') return undefined
      const remedy = text.includes('=')
        ? 'Write a mapping with the keys target, published, protocol and mode.'
        : 'Write [published:]target[/protocol], such as "8080:80" or "53:53/udp".'
      return { message: `is not a port: ${parsed}`, remedy }
    }
  }
}
