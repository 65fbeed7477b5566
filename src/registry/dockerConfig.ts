import { placeIn, scanJson } from '../scanJson.ts'
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
  /** All that is wrong with its text, without any of it but names: whoever has one of these should use nothing of the config. */
  readonly faults: readonly string[]
}

/** The helper that keeps the login for a registry, as docker chooses it. */
export function helperFor({ byRegistry, store }: HelperNames, key: string): string | undefined {
  return entryFor(byRegistry, key) ?? store
}

/** Reads the text of a docker `config.json`. Source: docker/cli cli/config. */
export function parseDockerConfig(text: string): DockerConfig {
  const faults: string[] = []
  const credentials = new Map<string, Credential>()
  const byRegistry = new Map<string, string>()
  const config = parseObject(text)
  if (config === undefined) {
    const scanned = scanJson(text)
    const place = 'wanted' in scanned ? `: ${placeIn(text, scanned.at)} should have ${scanned.wanted}` : ''
    return { credentials, helpers: { byRegistry, store: undefined }, faults: [`it is not a JSON object${place}`] }
  }
  const record = (what: string, value: unknown): Readonly<Record<string, unknown>> => {
    const found = value === undefined || value === null ? {} : recordOf(value)
    if (found === undefined) faults.push(`${what} is not a JSON object`)
    return found ?? {}
  }
  for (const [key, value] of Object.entries(record('"auths"', config.auths))) {
    const entry = record(`the entry of ${nameOf(key)}`, value)
    const wrong = FIELDS.filter((field) => !['string', 'undefined'].includes(typeof (entry[field] ?? undefined)))
    faults.push(...wrong.map((field) => `the "${field}" of ${nameOf(key)} is not a text`))
    const credential = credentialOf(key, entry)
    if (typeof credential === 'string') faults.push(credential)
    else if (credential !== undefined) credentials.set(key, credential)
  }
  for (const [key, value] of Object.entries(record('"credHelpers"', config.credHelpers))) {
    const name = textOf(value)
    if (name !== undefined) byRegistry.set(key, name)
  }
  for (const [key, value] of Object.entries(config)) {
    if (FIELDS.some((field) => textOf(recordOf(value)?.[field]) !== undefined))
      faults.push(`the login of ${nameOf(key)} stands beside "auths" and not in it`)
  }
  return { credentials, helpers: { byRegistry, store: textOf(config.credsStore) }, faults }
}

// --- Internal helpers ---

const FIELDS = ['auth', 'username', 'password', 'identitytoken', 'registrytoken'] as const

/** A registry's name for a message, if it is one: what stands in its place may be anything. */
function nameOf(key: string): string {
  return /^[\w.:/[\]-]{1,200}$/.test(key) ? JSON.stringify(key) : 'a registry whose name is none'
}

/** The login, or what is wrong with it. An entry without any stands for one that a helper keeps. */
function credentialOf(key: string, entry: Readonly<Record<string, unknown>>): Credential | string | undefined {
  const pair = pairOf(entry)
  if (pair === undefined) return `the "auth" of ${nameOf(key)} is not the base64 of "user:password"`
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

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return recordOf(JSON.parse(text))
  } catch {
    // The parser's message quotes the text.
    return undefined
  }
}
