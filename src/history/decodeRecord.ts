import { gunzipSync } from 'node:zlib'
import { Lexer, parse } from 'yaml'
import { messageOf } from '../errors.ts'
import { LARGEST_TEXT, MOST_TOKENS, type ReleaseRecord } from './record.ts'

/** Reads a record of this action or of swarmcli, which may come from anyone. Throws an Error with the reason if it is none. */
export function decodeRecord(data: Uint8Array): ReleaseRecord {
  const root = parsed(unpacked(data))
  const [release, revision, status] = [textAt(root, 'release'), valueAt(root, 'revision'), textAt(root, 'status')]
  if (
    release === '' ||
    status === '' ||
    typeof revision !== 'number' ||
    !Number.isSafeInteger(revision) ||
    revision < 1
  ) {
    throw new Error('it lacks a release, a status, or a revision of 1 or more')
  }
  const [chart, values] = [valueAt(root, 'chart'), valueAt(root, 'values')]
  const owner = textAt(root, 'owner')
  const files = textMap(valueAt(root, 'files'))
  return {
    release,
    revision,
    status,
    chart: { name: textAt(chart, 'name'), version: textAt(chart, 'version') },
    values: {
      manifests: texts(valueAt(values, 'manifests')),
      variables: texts(valueAt(values, 'variables')),
      images: textMap(valueAt(values, 'images')),
      secrets: textMap(valueAt(values, 'secrets')),
      configs: textMap(valueAt(values, 'configs')),
      omitted: texts(valueAt(values, 'omitted')),
    },
    manifest: textAt(root, 'manifest'),
    created: textAt(root, 'created'),
    owner: owner === '' ? undefined : owner,
    files: new Map([...files].map(([path, content]) => [path, Buffer.from(content, 'base64')])),
  }
}

// --- Internal helpers ---

function unpacked(data: Uint8Array): string {
  try {
    return gunzipSync(data, { maxOutputLength: LARGEST_TEXT }).toString()
  } catch (error) {
    const isLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw new Error(isLarge ? `it has more than ${LARGEST_TEXT / 1024 / 1024} MiB unpacked` : 'it is no gzip')
  }
}

function parsed(text: string): unknown {
  // Two bytes can be a node, and a node takes some hundred of memory: the texts of a record are long, and its nodes are few.
  let tokens = 0
  for (const _token of new Lexer().lex(text)) {
    if (++tokens > MOST_TOKENS) throw new Error(`it has more than ${MOST_TOKENS} parts`)
  }
  try {
    // A record has no aliases, and many of them make a large thing of a small one.
    return parse(text, { mapAsMap: true, maxAliasCount: 0, logLevel: 'error' })
  } catch (error) {
    throw new Error(`it is no YAML: ${messageOf(error).split('\n')[0]}`)
  }
}

function valueAt(map: unknown, key: string): unknown {
  return map instanceof Map ? map.get(key) : undefined
}

function textAt(map: unknown, key: string): string {
  const value = valueAt(map, key)
  return typeof value === 'string' ? value : ''
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function textMap(value: unknown): ReadonlyMap<string, string> {
  if (!(value instanceof Map)) return new Map()
  return new Map([...value].filter(([key, item]) => typeof key === 'string' && typeof item === 'string'))
}
