import type { StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import type { RegistryAuth } from '../registry/registryAuth.ts'

/** One warning for each credential helper that an image of the stack would need, and that is not asked. */
export function helperWarnings({ services }: StackSpec, auth: RegistryAuth | undefined): readonly Problem[] {
  const warned = new Map<string, Problem>()
  for (const { image, places, position } of services) {
    const helper = auth?.helperFor(image)
    if (helper === undefined || warned.has(helper)) continue
    warned.set(helper, {
      severity: 'warning',
      code: 'authentication',
      message: `the docker config leaves the login for the image "${image}" to the credential helper "${helper}", which is not supported yet: no credentials are sent`,
      position: places.image ?? position,
      remedy: 'Give them in "registry-auth", for example as a line "registry username password".',
    })
  }
  return [...warned.values()]
}
