import type { StackSpec } from './stackSpec.ts'

/**
 * The stack with only these services, and what they refer to: their networks, secrets and configs. All else of it is as if the manifest
 * did not have it, but that its secrets are still known by name.
 * @param keys the manifest's keys of services; one that it does not have counts for nothing
 */
export function partOf(stack: StackSpec, keys: readonly string[]): StackSpec {
  const services = stack.services.filter(({ key }) => keys.includes(key))
  const specs = services.map(({ spec }) => spec)
  const named = (names: readonly (string | undefined)[]) => {
    const used = new Set(names)
    return ({ name }: { readonly name: string }): boolean => used.has(name)
  }
  const containers = specs.map(({ TaskTemplate }) => TaskTemplate.ContainerSpec)
  const networks = named(specs.flatMap(({ TaskTemplate }) => (TaskTemplate.Networks ?? []).map(({ Target }) => Target)))
  const secrets = named(containers.flatMap((container) => (container?.Secrets ?? []).map((one) => one.SecretName)))
  const configs = named(containers.flatMap((container) => (container?.Configs ?? []).map((one) => one.ConfigName)))
  const aside = [...(stack.secretsAside ?? []), ...stack.secrets.filter((secret) => !secrets(secret))]
  return {
    ...stack,
    secretsAside: aside,
    networks: stack.networks.filter(networks),
    secrets: stack.secrets.filter(secrets),
    configs: stack.configs.filter(configs),
    services,
  }
}
