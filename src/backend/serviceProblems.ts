// What is said of services before anything is written.
import type { ServiceObject } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import { hasDigest } from '../image/reference.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Service } from '../swarm/service.ts'
import { kindOfMode } from './modeMeaning.ts'
import { loginRemedy, refusedLogin, type Unresolved } from './unresolved.ts'

/** Why a live service cannot become the wanted one; undefined where it can. */
export function refusalOf(
  { name, spec, position, places }: ServiceObject,
  { Spec: live }: Service,
  namespace: string,
): Problem | undefined {
  const owner = live.Labels?.[NAMESPACE_LABEL]
  const [from, to] = [kindOfMode(live.Mode), kindOfMode(spec.Mode)]
  if (owner !== namespace) {
    return {
      severity: 'error',
      code: 'conflict',
      message: `the service "${name}" exists already and belongs to ${owner === undefined ? 'no stack' : `the stack "${owner}"`}`,
      position,
      remedy: `Remove it if it is not needed (docker service rm ${name}), or choose another name for the stack or the service.`,
    }
  }
  if (from === to) return undefined
  return {
    severity: 'error',
    code: 'conflict',
    message: `the service "${name}" runs in mode ${from}, and Swarm can't change that to ${to}`,
    position: places['deploy.mode'] ?? position,
    remedy: `Remove the service first (docker service rm ${name}), which stops its tasks, or give it another name.`,
  }
}

/**
 * An image whose digest is not known, with the services that want it.
 * @param strict whether it is an error; then it names the line of each service, as only one can be pointed at
 */
export function noDigest(
  image: string,
  answer: Unresolved,
  services: readonly ServiceObject[],
  strict: boolean,
): Problem {
  const why = refusedLogin(image, answer)
  const [first, ...others] = services
  const names = [
    first?.key,
    ...others.map(({ key, places, position }) => {
      const { file, line } = places.image ?? position
      return strict ? `${key} at ${file}:${line}` : key
    }),
  ]
  const what = hasDigest(image) ? 'the image' : 'the digest of the image'
  const otherwise = strict
    ? 'Check "registry-auth" and that the manager can reach the registry; without "strict-images" this is a warning, and each node pulls the tag by itself.'
    : 'A service that runs this image keeps the digest it has; otherwise each node pulls the tag by itself. Check "registry-auth", or set "resolve-image: never" for images that are only on the nodes.'
  return {
    severity: strict ? 'error' : 'warning',
    code: 'image-pull',
    message: `${what} "${image}" (${names.join(', ')}) could not be looked up${why === undefined ? '' : `, as ${why}`}: ${answer.reason}`,
    position: first?.places.image ?? first?.position,
    remedy: loginRemedy(image, answer) ?? otherwise,
  }
}
