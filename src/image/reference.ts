// Image references as the docker CLI reads them. Source of the grammar, the normalisation and the error texts:
// github.com/distribution/reference v0.6 (regexp.go, normalize.go), github.com/opencontainers/go-digest.

/** A reference in its normal form. */
export interface ImageReference {
  /**
   * `docker.io` for the Docker Hub, whatever way it was written. With a port where one is given. Empty where the first part
   * can be no host name (`my_registry.com/x`): the grammar then takes it for a part of the path.
   */
  readonly domain: string
  /** `library/nginx` for `nginx`. */
  readonly path: string
  readonly tag?: string
  /** `sha256:…`. */
  readonly digest?: string
}

const hub = 'docker.io'
const oldHub = 'index.docker.io'
const officialPrefix = 'library/'
const longestPath = 255

const component = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?'
const domain = `(?:${component}(?:\\.${component})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`
const pathComponent = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const path = `${pathComponent}(?:/${pathComponent})*`
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}'
const referencePattern = new RegExp(
  `^(?:(${domain})/)?(${path})(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(${digest}))?$`,
)
const identifier = /^[a-f0-9]{64}$/
const hexLengths: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
])

/** Reads what a manifest or a user writes (`nginx`, `ghcr.io/acme/shop:1.2`), or says why it is no image, in docker's words. */
export function parseReference(text: string): ImageReference | { readonly error: string } {
  if (identifier.test(text)) {
    return { error: `invalid repository name (${text}), cannot specify 64-byte hexadecimal strings` }
  }
  const [registry, remainder] = splitDomain(text)
  const colon = remainder.indexOf(':')
  const repository = colon === -1 ? remainder : remainder.slice(0, colon)
  if (repository.toLowerCase() !== repository) {
    return { error: `invalid reference format: repository name (${repository}) must be lowercase` }
  }
  const whole = `${registry}/${remainder}`
  const parts = referencePattern.exec(whole)
  if (parts === null) {
    const lowerCase = referencePattern.test(whole.toLowerCase())
    return { error: lowerCase ? 'repository name must be lowercase' : 'invalid reference format' }
  }
  const [, foundDomain = '', foundPath = '', tag, foundDigest] = parts
  if (foundPath.length > longestPath) {
    return { error: `repository name must not be more than ${longestPath} characters` }
  }
  const digestError = foundDigest === undefined ? undefined : faultOfDigest(foundDigest)
  if (digestError !== undefined) return { error: digestError }
  return {
    domain: foundDomain,
    path: foundPath,
    ...(tag === undefined ? {} : { tag }),
    ...(foundDigest === undefined ? {} : { digest: foundDigest }),
  }
}

/**
 * Why a service cannot run `image`, in docker's words; undefined where it can. Unlike a reference, a bare digest or image id
 * passes, as it does with the docker CLI.
 */
export function faultOfImage(image: string): string | undefined {
  if (image === '') return 'no image specified'
  if (identifier.test(image) || (image.includes(':') && faultOfDigest(image) === undefined)) return undefined
  const parsed = parseReference(image)
  return 'error' in parsed ? parsed.error : undefined
}

/** What the docker CLI sends for an image: short name, tag `latest` where neither tag nor digest is given; else unchanged. */
export function familiarImage(text: string): string {
  const parsed = parseReference(text)
  return 'error' in parsed ? text : familiar(parsed)
}

/** Whether a live image, its digest aside, is the wanted one. Only the wanted side is normalised. */
export function sameImage(live: string, wanted: string): boolean {
  const familiarWanted = familiarImage(wanted)
  if (live === familiarWanted) return true
  const at = live.lastIndexOf('@')
  return at !== -1 && live.slice(0, at) === familiarWanted
}

/** `nginx` and `sha256:…` → `nginx:latest@sha256:…`; an image that has a digest, or is none, only becomes familiar. */
export function withDigest(image: string, foundDigest: string): string {
  const parsed = parseReference(image)
  if ('error' in parsed) return image
  return parsed.digest === undefined ? `${familiar(parsed)}@${foundDigest}` : familiar(parsed)
}

/** Whether the image is pinned by its own text. */
export function hasDigest(image: string): boolean {
  const parsed = parseReference(image)
  return !('error' in parsed) && parsed.digest !== undefined
}

/** The registry that an image comes from: `docker.io` for the Docker Hub. Undefined for what names none. */
export function registryDomain(image: string): string | undefined {
  const parsed = parseReference(image)
  return 'error' in parsed || parsed.domain === '' ? undefined : parsed.domain
}

// --- Internal helpers ---

/** The first part of a name is a domain if it could not be a namespace of the Hub. */
function splitDomain(text: string): readonly [registry: string, remainder: string] {
  const slash = text.indexOf('/')
  // A single name is never a host and port, even with a colon in it.
  if (slash === -1) return [hub, `${officialPrefix}${text}`]
  const first = text.slice(0, slash)
  const rest = text.slice(slash + 1)
  const isDomain = first === 'localhost' || /[.:]/.test(first) || first.toLowerCase() !== first
  const [registry, remainder] = isDomain ? [first === oldHub ? hub : first, rest] : [hub, text]
  return registry === hub && !remainder.includes('/')
    ? [registry, `${officialPrefix}${remainder}`]
    : [registry, remainder]
}

function familiar(reference: ImageReference): string {
  const official = reference.path.startsWith(officialPrefix) && reference.path.split('/').length === 2
  const short = official ? reference.path.slice(officialPrefix.length) : reference.path
  const prefix = reference.domain === '' ? '' : `${reference.domain}/`
  const name = reference.domain === hub ? short : `${prefix}${reference.path}`
  const { tag = reference.digest === undefined ? 'latest' : undefined } = reference
  return `${name}${tag === undefined ? '' : `:${tag}`}${reference.digest === undefined ? '' : `@${reference.digest}`}`
}

function faultOfDigest(text: string): string | undefined {
  const colon = text.indexOf(':')
  if (colon <= 0 || colon + 1 === text.length) return 'invalid checksum digest format'
  const hex = text.slice(colon + 1)
  const length = hexLengths.get(text.slice(0, colon))
  if (length === undefined) {
    const wellFormed = /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$/.test(text)
    return wellFormed ? 'unsupported digest algorithm' : 'invalid checksum digest format'
  }
  if (hex.length !== length) return 'invalid checksum digest length'
  return /^[a-f0-9]+$/.test(hex) ? undefined : 'invalid checksum digest format'
}
