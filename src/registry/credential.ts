import { registryDomain } from '../image/reference.ts'

/** One registry's login, with the fields of an `X-Registry-Auth` header in their order there. */
export interface Credential {
  readonly username?: string
  readonly password?: string
  readonly auth?: string
  readonly serveraddress?: string
  readonly identitytoken?: string
  readonly registrytoken?: string
}

/** The Docker Hub's historic key in a docker config. */
const HUB_KEY = 'https://index.docker.io/v1/'

/** The key under which a docker config keeps the login for an image's registry; undefined for what names no registry. */
export function registryKeyOf(image: string): string | undefined {
  const domain = registryDomain(image)
  return domain === undefined ? undefined : registryKey(domain)
}

/** `docker.io` in any of its names is the Hub. */
export function registryKey(domain: string): string {
  return ['docker.io', 'index.docker.io', 'registry-1.docker.io'].includes(hostnameOf(domain)) ? HUB_KEY : domain
}

/** A key without its scheme and path: `https://ghcr.io/v2/` is `ghcr.io`. A port belongs to it. */
export function hostnameOf(key: string): string {
  return key.replace(/^https?:\/\//, '').split('/', 1)[0] ?? ''
}

/** The exact key first, then one that names the same host, the Hub by any of its names. */
export function entryFor<T>(entries: ReadonlyMap<string, T>, key: string): T | undefined {
  const exact = entries.get(key)
  if (exact !== undefined) return exact
  const host = comparable(key)
  for (const [name, entry] of entries) if (comparable(name) === host) return entry
  return undefined
}

/** Names of hosts have no case. */
function comparable(key: string): string {
  return hostnameOf(registryKey(key.toLowerCase()))
}

/** Source of the form: RFC 4648 section 5 with padding, as the Engine decodes it. */
export function encodeHeader({
  username,
  password,
  auth,
  serveraddress,
  identitytoken,
  registrytoken,
}: Credential): string {
  const fields = { username, password, auth, serveraddress, identitytoken, registrytoken }
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))
  const text = Buffer.from(JSON.stringify(given)).toString('base64')
  return text.replaceAll('+', '-').replaceAll('/', '_')
}
