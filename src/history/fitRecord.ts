import type { Problem } from '../errors.ts'
import { encodeRecord } from './encodeRecord.ts'
import { LARGEST_RECORD, LARGEST_TEXT, type ReleaseRecord, recordName } from './record.ts'

/** Source: moby/swarmkit manager/controlapi/config.go. */
const LONGEST_NAME = 64

/** A record as Swarm can store it: without its files where it would be too large with them, or not at all, which a warning says. */
export function fitRecord(record: ReleaseRecord): {
  readonly record: ReleaseRecord | undefined
  readonly warning?: Problem
} {
  const name = recordName(record.release, record.revision)
  if (name.length > LONGEST_NAME) {
    const message = `no release record is written: its name ${name} has ${name.length} characters, and Swarm takes ${LONGEST_NAME}`
    return { record: undefined, warning: warning(message, 'Choose a shorter `stack-name`, or set `history: 0`.') }
  }
  const size = sizeOf(record)
  if (fits(size)) return { record }
  const most = `${size.packed} bytes (${size.unpacked} unpacked) and may have ${LARGEST_RECORD} (${LARGEST_TEXT})`
  const bare = { ...record, files: new Map(), values: { ...record.values, omitted: allFiles(record) } }
  if (record.files.size > 0 && fits(sizeOf(bare))) {
    const message = `the release record is written without its files, so that there is no rollback to it: it would have ${most}; its largest files are ${largest(record)}`
    return { record: bare, warning: warning(message, remedy) }
  }
  return { record: undefined, warning: warning(`no release record is written: it would have ${most}`, remedy) }
}

// --- Internal helpers ---

const remedy = 'Make the manifest, or the files that its configs name, smaller; `history: 0` keeps no records.'

interface Size {
  readonly packed: number
  readonly unpacked: number
}

function sizeOf(record: ReleaseRecord): Size {
  const data = encodeRecord(record)
  // The end of a gzip tells how much is in it. Source: RFC 1952, 2.3.1.
  return { packed: data.length, unpacked: data.readUInt32LE(data.length - 4) }
}

function fits({ packed, unpacked }: Size): boolean {
  return packed <= LARGEST_RECORD && unpacked <= LARGEST_TEXT
}

function allFiles({ files, values }: ReleaseRecord): readonly string[] {
  return [...values.omitted, ...files.keys()].sort()
}

function largest({ files }: ReleaseRecord): string {
  return [...files]
    .sort(([, left], [, right]) => right.length - left.length)
    .slice(0, 3)
    .map(([path, { length }]) => `${path} (${length} bytes)`)
    .join(', ')
}

function warning(message: string, what: string): Problem {
  return { severity: 'warning', code: 'manifest', message, remedy: what }
}
