import type { Credential } from './credential.ts'

export interface DockerConfig {
  readonly credentials: ReadonlyMap<string, Credential>
  /** The programs that keep the logins of registries. */
  readonly helpers: ReadonlyMap<string, string>
  /** Which of the two keys that name programs are there, even if they serve no registry. */
  readonly namesPrograms: readonly ('credsStore' | 'credHelpers')[]
}

/** Reads the text of a docker `config.json`, or says what is wrong with it, without any of its text. Source: docker/cli cli/config. */
export function parseDockerConfig(text: string): DockerConfig | { readonly error: string } {
  const config = parseObject(text)
  if (config === undefined) return { error: 'it is not a JSON object' }
  const credentials = new Map<string, Credential>()
  const helpers = new Map<string, string>()
  const store = textOf(config.credsStore)
  for (const [key, entry] of Object.entries(recordOf(config.auths))) {
    const credential = credentialOf(key, recordOf(entry))
    if (credential === 'unreadable') {
      return { error: `the "auth" of ${JSON.stringify(key)} is not the base64 of "user:password"` }
    }
    if (credential !== undefined) credentials.set(key, credential)
    // What `docker login` leaves where the store keeps the login.
    else if (store !== undefined) helpers.set(key, store)
  }
  const named = Object.entries(recordOf(config.credHelpers)).filter(([, helper]) => textOf(helper) !== undefined)
  for (const [key, helper] of named) helpers.set(key, String(helper))
  const namesPrograms = [
    ...(store === undefined ? [] : ['credsStore' as const]),
    ...(named.length === 0 ? [] : ['credHelpers' as const]),
  ]
  return { credentials, helpers, namesPrograms }
}

// --- Internal helpers ---

/** An entry without any login stands for one that a helper keeps. */
function credentialOf(key: string, entry: Readonly<Record<string, unknown>>): Credential | 'unreadable' | undefined {
  const pair = pairOf(entry)
  if (pair === undefined) return 'unreadable'
  const tokens = {
    ...whenGiven('identitytoken', textOf(entry.identitytoken)),
    ...whenGiven('registrytoken', textOf(entry.registrytoken)),
  }
  if (Object.keys(pair).length === 0 && Object.keys(tokens).length === 0) return undefined
  return { ...pair, serveraddress: key, ...tokens }
}

/** `auth` wins over the two fields. */
function pairOf(entry: Readonly<Record<string, unknown>>): Credential | undefined {
  const auth = textOf(entry.auth)
  if (auth === undefined) {
    return { ...whenGiven('username', textOf(entry.username)), ...whenGiven('password', textOf(entry.password)) }
  }
  const decoded = Buffer.from(auth, 'base64').toString()
  const colon = decoded.indexOf(':')
  if (colon <= 0) return undefined
  const password = decoded.slice(colon + 1).replace(/\0+$/, '')
  return { username: decoded.slice(0, colon), ...whenGiven('password', password) }
}

function whenGiven(key: keyof Credential, value: string | undefined): Credential {
  return value === undefined || value === '' ? {} : { [key]: value }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : undefined
  } catch {
    // The parser's message quotes the text.
    return undefined
  }
}
