import { withFileNames } from '../backend/fileNames.ts'
import { withImage } from '../backend/image.ts'
import type { StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import type { ReleaseRecord } from '../history/record.ts'
import { hasDigest, sameImage } from '../image/reference.ts'
import { IMAGE_LABEL } from '../swarm/names.ts'
import type { ServiceSpec } from '../swarm/service.ts'

/** A stack with the images and secrets that a release record names, whatever the manifest makes of them by today's variables. */
export interface Pinned {
  readonly spec: StackSpec
  /** Whether every image is known by its digest, so that no registry has to be asked. */
  readonly hasDigests: boolean
  readonly problems: readonly Problem[]
}

export function pinned(spec: StackSpec, { revision, values }: ReleaseRecord): Pinned {
  const problems: Problem[] = []
  const renamed = new Map<string, string>()
  for (const { key, name, external, position } of spec.secrets) {
    if (external) continue
    const known = values.secrets.get(key)
    if (known !== undefined) renamed.set(name, known)
    else {
      const message = `the release record of revision ${revision} does not say which secret of the swarm ${key} was`
      const remedy = 'Choose another `revision`, or deploy the manifest.'
      problems.push({ severity: 'error', code: 'missing-resource', message, position, remedy })
    }
  }
  const named = withFileNames(spec, { secrets: renamed, configs: new Map() })
  const services = named.services.map((service) => {
    const image = values.images.get(service.key)
    return image === undefined ? service : { ...service, image, spec: withRecordedImage(service.spec, image) }
  })
  const open = services.filter(({ image }) => !hasDigest(image))
  if (open.length > 0) problems.push(undigested(revision, open))
  return {
    spec: {
      ...named,
      // They are used as they are: what they hold is in no record.
      secrets: named.secrets.map(({ key, name, position }) => ({ key, name, position, external: true })),
      services,
    },
    hasDigests: open.length === 0,
    problems,
  }
}

// --- Internal helpers ---

/** The label names the image as the manifest wrote it then, as far as that can be told. */
function withRecordedImage(spec: ServiceSpec, image: string): ServiceSpec {
  const written = spec.Labels?.[IMAGE_LABEL] ?? ''
  const label = sameImage(image, written) ? written : image.replace(/@.*$/, '')
  return { ...withImage(spec, { image }), Labels: { ...spec.Labels, [IMAGE_LABEL]: label } }
}

function undigested(revision: number, services: StackSpec['services']): Problem {
  const names = services.map(({ key, image }) => `${key} (${image})`).join(', ')
  return {
    severity: 'warning',
    code: 'manifest',
    message: `revision ${revision} knows no digest of the images of ${names}: what their tags mean may have changed since`,
    position: services[0]?.position,
    remedy: 'Tags that never move, or `resolve-image: always` with a registry that answers, make a rollback exact.',
  }
}
