import type { StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'

/** Uses and declarations of secrets that no stack may touch, under whatever target they would be mounted. */
export function forbiddenSecretUses(
  { services, secrets }: StackSpec,
  forbidden: ReadonlySet<string>,
): readonly Problem[] {
  const problem = (message: string, position: Problem['position']): Problem => ({
    severity: 'error',
    code: 'forbidden',
    message,
    position,
    remedy: 'The secret is protected where the action runs ("protected-secrets"). Use another one.',
  })
  const declared = secrets
    .filter(({ name, external }) => !external && forbidden.has(name))
    .map(({ name, position }) => problem(`the manifest declares the protected secret "${name}"`, position))
  const mounted = services.flatMap(({ key, spec, places, position }) =>
    (spec.TaskTemplate.ContainerSpec?.Secrets ?? []).flatMap(({ SecretName: name }, index) =>
      forbidden.has(name)
        ? [
            problem(
              `service ${key} mounts the protected secret "${name}"`,
              places[`secrets.${index}`] ?? places.secrets ?? position,
            ),
          ]
        : [],
    ),
  )
  return [...mounted, ...declared]
}
