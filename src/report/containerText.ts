// What a container wrote, as log and summary show it.

import type { LogLine } from '../engine/engine.ts'
import type { HealthCheckStory } from './outcome.ts'
import { bounded, cleanText } from './untrusted.ts'

/** No line of a log is read beyond this. */
const LONGEST_LINE = 16_000

/** A log's lines with their times, to the millisecond: `2026-01-01T00:00:00.000Z | text`. */
export function logText(logs: readonly LogLine[]): string {
  return logs
    .flatMap(({ timestamp, text }) => {
      const at = timestamp.replace(/(\.\d{3})\d+/, '$1')
      // A carriage return within a line makes several of it.
      return cleanText(bounded(text, LONGEST_LINE))
        .split('\n')
        .map((line) => `${at} | ${line}`.trim())
    })
    .join('\n')
}

/** `health check failed 3 times in a row, last with exit code 1:`, or what else became of its last run. */
export function healthHeading({ exitCode, failures, output }: HealthCheckStory): string {
  const often = failures > 1 ? `failed ${failures} times in a row, last` : failures === 1 ? 'failed' : 'ended last'
  const how = exitCode === -1 ? 'without an answer' : `with exit code ${exitCode}`
  return `its health check ${often} ${how}${output.trim() === '' ? ', and wrote nothing' : ':'}`
}
