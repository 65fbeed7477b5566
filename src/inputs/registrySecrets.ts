import { listItems } from './list.ts'

/** The secrets inside `registry-auth`, to be masked before anything else looks at it. Never throws: the text may be in no known form. */
export function registrySecrets(text: string): readonly string[] {
  if (text.trim() === 'none') return []
  const fromJson = secretsOfJson(text)
  if (fromJson !== undefined) return fromJson
  // `registry username password`: a line that is not so is masked whole, for it may be a password alone.
  return listItems(text).map(({ text: line }) => /^\S+\s+\S+\s+(.+)$/.exec(line)?.[1] ?? line)
}

const SECRET_KEYS: ReadonlySet<string> = new Set(['auth', 'password', 'identitytoken', 'registrytoken'])

function secretsOfJson(text: string): readonly string[] | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  const found: string[] = []
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (SECRET_KEYS.has(key.toLowerCase()) && typeof value === 'string' && value !== '') found.push(value)
      return value
    })
  } catch {
    return [text]
  }
  // `auth` is base64 of `user:password`.
  const passwords = found.flatMap((value) => {
    const decoded = Buffer.from(value, 'base64').toString()
    const at = decoded.indexOf(':')
    return at > 0 && !decoded.includes('\uFFFD') ? [decoded, decoded.slice(at + 1)] : []
  })
  return [...found, ...passwords].filter((value) => value !== '')
}
