import { familiarImage, sameImage, withDigest } from '../image/reference.ts'
import type { Platform } from '../swarm/common.ts'
import { IMAGE_LABEL } from '../swarm/names.ts'
import type { Service, ServiceSpec } from '../swarm/service.ts'
import type { ResolveMode } from './resolveMode.ts'
import type { Unresolved } from './unresolved.ts'

/** What the registry said of an image, or why it could not be asked. */
export type DigestAnswer = { readonly digest: string; readonly platforms: readonly Platform[] } | Unresolved

export interface ChosenImage {
  readonly image: string
  /** For `Placement.Platforms`; undefined leaves the field out. */
  readonly platforms?: readonly Platform[] | undefined
  /** Why the digest is not known, where it was asked for. */
  readonly unresolved?: Unresolved | undefined
}

/** Whether this service's image has to be looked up. A service without an image is none of ours. */
export function needsDigest(mode: ResolveMode, image: string, live: Service | undefined): boolean {
  if (image === '' || mode === 'never') return false
  return mode === 'always' || deployedImage(live) !== image
}

/**
 * The image to write. A digest in use is kept as long as the manifest names the image that it belongs to; an image that someone
 * changed by hand is put back. Unlike the docker CLI, which keeps what runs if only the label is right.
 * @param image as in the manifest
 * @param answer of the registry, where it was asked
 */
export function chooseImage(
  mode: ResolveMode,
  image: string,
  live: Service | undefined,
  answer: DigestAnswer | undefined,
): ChosenImage {
  const running = live?.Spec.TaskTemplate.ContainerSpec?.Image ?? ''
  const kept = { image: running, platforms: live?.Spec.TaskTemplate.Placement?.Platforms ?? undefined }
  const isSame = running !== '' && sameImage(running, image)
  if (needsDigest(mode, image, live)) {
    if (answer !== undefined && 'digest' in answer) {
      const platforms = runnablePlatforms(answer.platforms)
      return { image: withDigest(image, answer.digest), ...(platforms.length > 0 && { platforms }) }
    }
    const unresolved = answer ?? { reason: 'it was not looked up' }
    return isSame ? { ...kept, unresolved } : { image: familiarImage(image), unresolved }
  }
  return isSame && deployedImage(live) === image ? kept : { image: familiarImage(image) }
}

/** A spec with the chosen image and its platforms. */
export function withImage(spec: ServiceSpec, { image, platforms }: ChosenImage): ServiceSpec {
  const { TaskTemplate: template } = spec
  if (!template.ContainerSpec) return spec
  return {
    ...spec,
    TaskTemplate: {
      ...template,
      ContainerSpec: { ...template.ContainerSpec, Image: image },
      ...(platforms && { Placement: { ...template.Placement, Platforms: platforms } }),
    },
  }
}

// --- Internal helpers ---

/** The manifest's image at the last deployment. */
function deployedImage(live: Service | undefined): string | undefined {
  return live?.Spec.Labels?.[IMAGE_LABEL]
}

/** Attestations are no platforms, and nodes report several names for arm. Source: docker/cli and moby's client, service_create. */
function runnablePlatforms(platforms: readonly Platform[]): readonly Platform[] {
  const known = new Map<string, Platform>()
  for (const { OS: os = '', Architecture: named = '' } of platforms) {
    if (os === 'unknown' || named === 'unknown') continue
    const architecture = named.toLowerCase() === 'arm' ? '' : named
    known.set(`${os}/${architecture}`, { ...(architecture && { Architecture: architecture }), ...(os && { OS: os }) })
  }
  return [...known.values()]
}
