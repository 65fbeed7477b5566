import { gzipSync } from 'node:zlib'
import { Scalar, stringify } from 'yaml'
import type { ReleaseRecord } from './record.ts'

/** A record as it is stored: gzip of YAML, keys in the chart engine's order, what is empty left out. */
export function encodeRecord(record: ReleaseRecord): Buffer {
  const { release, revision, status, chart, values, manifest, created, owner, files } = record
  const { manifests, variables, images, secrets, configs, omitted } = values
  const kept = Object.fromEntries(
    [...files].sort(byPath).map(([path, content]) => [path, Buffer.from(content).toString('base64')]),
  )
  const document = {
    release,
    revision,
    status,
    chart: { name: chart.name, version: chart.version },
    values: withoutEmpty({ manifests, variables, images, secrets, configs, omitted }),
    manifest: text(manifest),
    created,
    namespace: release,
    ...(owner !== undefined && { owner }),
    ...(files.size > 0 && { files: kept }),
  }
  // Quoted as YAML 1.1 needs it, whose numbers and booleans the other reader half believes in; Go writes four blanks.
  const format = { version: '1.1', indent: 4, lineWidth: 0, aliasDuplicateObjects: false } as const
  return gzipSync(stringify(document, format))
}

// --- Internal helpers ---

function withoutEmpty(values: Readonly<Record<string, readonly string[] | ReadonlyMap<string, string>>>): object {
  const filled = Object.entries(values).filter(([, value]) => ('size' in value ? value.size : value.length) > 0)
  return Object.fromEntries(filled.map(([key, value]) => [key, 'size' in value ? Object.fromEntries(value) : value]))
}

/** A block as the file is written, unless that would lose a line's end, or an indentation at its start. */
function text(value: string): Scalar {
  const scalar = new Scalar(value)
  scalar.type = /^\s|[\r\u0085\u2028\u2029\ufeff]/.test(value) ? 'QUOTE_DOUBLE' : 'BLOCK_LITERAL'
  return scalar
}

function byPath([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1
}
