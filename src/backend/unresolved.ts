import { registryDomain } from '../image/reference.ts'

/** An image whose digest could not be looked up. */
export interface Unresolved {
  /** In the manager's words. */
  readonly reason: string
  /** What the registry made of our login, where that was the reason: it had one and refused it, or there was none to send. */
  readonly login?: 'refused' | 'missing' | undefined
}

/** `the registry ghcr.io refused the credentials`; undefined where they were not the reason. */
export function refusedLogin(image: string, { login }: Unresolved): string | undefined {
  if (login === undefined) return undefined
  return `the registry ${registryDomain(image)} ${login === 'refused' ? 'refused the credentials' : 'wants credentials, and none are given for it'}`
}

/** What mends a refused login, one sentence. */
export function loginRemedy(image: string, { login }: Unresolved): string | undefined {
  if (login === undefined) return undefined
  const registry = registryDomain(image)
  return login === 'refused'
    ? `Correct the login for ${registry} in "registry-auth": its password or token may be wrong or expired, or may not read this image.`
    : `Give "registry-auth" a login for ${registry} that may read this image, and check the image's name.`
}
