import { type Credential, encodeHeader, entryFor, hostnameOf, registryKeyOf } from './credential.ts'

/** Logins for registries, each sent only for images of its own. */
export interface RegistryAuth {
  /** The whole `X-Registry-Auth` header for an image; undefined without a login for its registry, and then none is sent. */
  headerFor(image: string): string | undefined
  credentialFor(image: string): Credential | undefined
  /** The same logins, and what credential helpers answered: by the registry's key, undefined where nothing is to be sent. */
  withAnswers(answers: ReadonlyMap<string, Credential | undefined>): RegistryAuth
  /** Everything in it that must not be shown: passwords, tokens, and the base64 of name and password; and whose they are. */
  secrets(): readonly (readonly [name: string, secret: string])[]
}

/**
 * @param credentials by the key of a docker config: a registry's address
 * @param answers of credential helpers, which count before
 */
export function registryAuth(
  credentials: ReadonlyMap<string, Credential>,
  answers: ReadonlyMap<string, Credential | undefined> = new Map(),
): RegistryAuth {
  const credentialFor = (image: string): Credential | undefined => {
    const key = registryKeyOf(image)
    if (key === undefined) return undefined
    return answers.has(key) ? answers.get(key) : entryFor(credentials, key)
  }
  return {
    headerFor(image) {
      const credential = credentialFor(image)
      return credential && encodeHeader(credential)
    },
    credentialFor,
    withAnswers: (more) => registryAuth(credentials, new Map([...answers, ...more])),
    secrets: () =>
      [...credentials, ...answers].flatMap(([key, one]) =>
        one === undefined ? [] : secretsOf(one).map((secret) => [`the login for ${hostnameOf(key)}`, secret] as const),
      ),
  }
}

// --- Internal helpers ---

function secretsOf({ username, password, auth, identitytoken, registrytoken }: Credential): readonly string[] {
  const pair = username && password ? [Buffer.from(`${username}:${password}`).toString('base64')] : []
  return [password, auth, identitytoken, registrytoken, ...pair].filter(
    (text): text is string => text !== undefined && text !== '',
  )
}
