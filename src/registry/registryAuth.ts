import { type Credential, encodeHeader, entryFor, registryKeyOf } from './credential.ts'

/** Logins for registries, each sent only for images of its own. */
export interface RegistryAuth {
  /** The whole `X-Registry-Auth` header for an image; undefined without a login for its registry, and then none is sent. */
  headerFor(image: string): string | undefined
  /** The credential helper that the docker config names for an image's registry, and that is not asked. */
  helperFor(image: string): string | undefined
  /** Everything in it that must not be shown. */
  secrets(): readonly string[]
}

/**
 * @param credentials by the key of a docker config: a registry's address
 * @param helpers likewise, the names of programs that keep a login
 */
export function registryAuth(
  credentials: ReadonlyMap<string, Credential>,
  helpers: ReadonlyMap<string, string> = new Map(),
): RegistryAuth {
  return {
    headerFor(image) {
      const key = registryKeyOf(image)
      const credential = key === undefined ? undefined : entryFor(credentials, key)
      return credential && encodeHeader(credential)
    },
    helperFor(image) {
      const key = registryKeyOf(image)
      return key === undefined ? undefined : entryFor(helpers, key)
    },
    secrets: () => [...credentials.values()].flatMap(secretsOfCredential),
  }
}

/** What of the logins has to be masked: passwords, tokens, and the base64 of name and password. */
export function secretsOf(auth: RegistryAuth): readonly string[] {
  return [...new Set(auth.secrets())]
}

function secretsOfCredential({
  username,
  password,
  auth,
  identitytoken,
  registrytoken,
}: Credential): readonly string[] {
  const pair = username && password ? [Buffer.from(`${username}:${password}`).toString('base64')] : []
  return [password, auth, identitytoken, registrytoken, ...pair].filter(
    (text): text is string => text !== undefined && text !== '',
  )
}
