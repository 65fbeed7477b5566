import type { LogLine } from './engine.ts'

/**
 * Takes the body of a log apart: frames of eight bytes of header and a message each, or, from a container with a terminal, bare text
 * (which the engine calls stdout). Source: the Engine API's "Attach to a container", stream format.
 * `trouble` is what the daemon itself had to say instead of, or after, the lines.
 */
export function readLog(body: Buffer): { readonly lines: readonly LogLine[]; readonly trouble: string | undefined } {
  const lines: LogLine[] = []
  let trouble = ''
  for (const { stream, bytes } of frames(body)) {
    if (stream === 'daemon') trouble += bytes.toString('utf8')
    else lines.push(...linesOf(bytes.toString('utf8'), stream))
  }
  return { lines, trouble: trouble.trim() || undefined }
}

interface Frame {
  readonly stream: LogLine['stream'] | 'daemon'
  readonly bytes: Buffer
}

function frames(body: Buffer): readonly Frame[] {
  const found: { stream: Frame['stream']; bytes: Buffer }[] = []
  for (let at = 0; at < body.length; ) {
    const kind = body[at] ?? 0
    const isHeader = body.length - at >= 8 && kind <= 3 && body.readUIntBE(at + 1, 3) === 0
    if (!isHeader) return [...found, { stream: 'stdout', bytes: body.subarray(at) }]
    const end = at + 8 + body.readUInt32BE(at + 4)
    const stream = kind === 3 ? 'daemon' : kind === 2 ? 'stderr' : 'stdout'
    const bytes = body.subarray(at + 8, end)
    const last = found.at(-1)
    // A long line comes in pieces of 16 KiB, and only its last piece ends with a newline.
    if (last !== undefined && last.stream === stream && last.bytes.at(-1) !== 10) {
      last.bytes = Buffer.concat([last.bytes, withoutTimestamp(bytes)])
    } else {
      found.push({ stream, bytes })
    }
    at = end
  }
  return found
}

const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?/

function withoutTimestamp(bytes: Buffer): Buffer {
  const match = stamp.exec(bytes.toString('latin1', 0, 40))
  return match === null ? bytes : bytes.subarray(match[0].length)
}

/** A carriage return ends a line too: progress bars redraw themselves with it. Its pieces share the time stamp. */
function linesOf(text: string, stream: LogLine['stream']): LogLine[] {
  let timestamp = ''
  return text
    .replace(/\r?\n$/, '')
    .split(/\r*\n/)
    .flatMap((line) => {
      const match = stamp.exec(line)
      timestamp = match?.[1] ?? timestamp
      const rest = line.slice(match?.[0].length ?? 0)
      const pieces = rest.split('\r').filter((piece) => piece !== '')
      return (pieces.length === 0 ? [''] : pieces).map((piece) => ({ timestamp, stream, text: piece }))
    })
}
