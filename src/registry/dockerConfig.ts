import { type Credential, entryFor } from './credential.ts'

/** The programs that keep logins: `gcloud` stands for `docker-credential-gcloud`. */
export interface HelperNames {
  /** `credHelpers`: by the registry's key. */
  readonly byRegistry: ReadonlyMap<string, string>
  /** `credsStore`: for all the others. */
  readonly store: string | undefined
}

export interface DockerConfig {
  readonly credentials: ReadonlyMap<string, Credential>
  readonly helpers: HelperNames
}

/** The helper that keeps the login for a registry, as docker chooses it. */
export function helperFor({ byRegistry, store }: HelperNames, key: string): string | undefined {
  return entryFor(byRegistry, key) ?? store
}

/** Reads the text of a docker `config.json`, or says what is wrong with it, without any of its text. Source: docker/cli cli/config. */
export function parseDockerConfig(text: string): DockerConfig | { readonly error: string } {
  const config = parseObject(text)
  if (config === undefined) return { error: 'it is not a JSON object' }
  const credentials = new Map<string, Credential>()
  for (const [key, entry] of Object.entries(recordOf(config.auths))) {
    const credential = credentialOf(key, recordOf(entry))
    if (credential === 'unreadable') {
      return { error: `the "auth" of ${JSON.stringify(key)} is not the base64 of "user:password"` }
    }
    if (credential !== undefined) credentials.set(key, credential)
  }
  const byRegistry = new Map<string, string>()
  for (const [key, value] of Object.entries(recordOf(config.credHelpers))) {
    const name = textOf(value)
    if (name !== undefined) byRegistry.set(key, name)
  }
  return { credentials, helpers: { byRegistry, store: textOf(config.credsStore) } }
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
