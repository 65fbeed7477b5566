import { DeployError } from '../errors.ts'
import type { ContainerSpec, ServiceSpec } from '../swarm/service.ts'

/** The swarm's ids of secrets and configs, by their exact names. */
export interface ReferenceIds {
  readonly secrets: ReadonlyMap<string, string>
  readonly configs: ReadonlyMap<string, string>
}

/** The names of secrets and configs that a spec references and that have no id, in the spec's order, each once. */
export function missingReferences(spec: ServiceSpec, ids: ReferenceIds): ReferenceNames {
  const { Secrets, Configs } = spec.TaskTemplate.ContainerSpec ?? {}
  const without = (names: readonly string[], known: ReadonlyMap<string, string>): readonly string[] => [
    ...new Set(names.filter((name) => !known.has(name))),
  ]
  return {
    secrets: without(
      (Secrets ?? []).map(({ SecretName }) => SecretName),
      ids.secrets,
    ),
    configs: without(
      (Configs ?? []).map(({ ConfigName }) => ConfigName),
      ids.configs,
    ),
  }
}

export interface ReferenceNames {
  readonly secrets: readonly string[]
  readonly configs: readonly string[]
}

/**
 * The spec with the ids of all secrets and configs that it references, by their names, the one of its credential
 * specification too. Throws a `missing-resource` error that names every one the swarm does not have.
 */
export function withReferenceIds(spec: ServiceSpec, ids: ReferenceIds): ServiceSpec {
  const container = spec.TaskTemplate.ContainerSpec
  if (!container) return spec
  const missing = missingReferences(spec, ids)
  const texts = [
    ...missing.secrets.map((name) => `secret not found: ${name}`),
    ...missing.configs.map((name) => `config not found: ${name}`),
  ]
  if (texts.length > 0) {
    throw new DeployError('missing-resource', `service ${spec.Name ?? ''}: ${texts.join(', ')}`, {
      remedy: 'Create what is missing in the swarm, or correct the name in the manifest.',
    })
  }
  return {
    ...spec,
    TaskTemplate: { ...spec.TaskTemplate, ContainerSpec: withIds(container, ids) },
  }
}

/** New names of secrets and configs, by their present ones; whatever is not here keeps its name. */
export interface ReferenceRenames {
  readonly secrets: ReadonlyMap<string, string>
  readonly configs: ReadonlyMap<string, string>
}

/** The spec with other names of secrets and configs; where a container finds them stays. */
export function withReferenceNames(spec: ServiceSpec, names: ReferenceRenames): ServiceSpec {
  const container = spec.TaskTemplate.ContainerSpec
  if (!container) return spec
  const { Secrets, Configs } = container
  const renamed = {
    ...container,
    ...(Secrets && {
      Secrets: Secrets.map((reference) => ({
        ...reference,
        SecretName: names.secrets.get(reference.SecretName) ?? reference.SecretName,
      })),
    }),
    ...(Configs && {
      Configs: Configs.map((reference) => ({
        ...reference,
        ConfigName: names.configs.get(reference.ConfigName) ?? reference.ConfigName,
      })),
    }),
  }
  return { ...spec, TaskTemplate: { ...spec.TaskTemplate, ContainerSpec: renamed } }
}

// --- Internal helpers ---

function withIds(container: ContainerSpec, ids: ReferenceIds): ContainerSpec {
  const { Secrets, Configs, Privileges } = container
  const runtime = Configs?.find((reference) => reference.Runtime)
  const credentials = Privileges?.CredentialSpec
  return {
    ...container,
    ...(Secrets && {
      Secrets: Secrets.map((reference) => ({ ...reference, SecretID: ids.secrets.get(reference.SecretName) ?? '' })),
    }),
    ...(Configs && {
      Configs: Configs.map((reference) => ({ ...reference, ConfigID: ids.configs.get(reference.ConfigName) ?? '' })),
    }),
    ...(credentials &&
      runtime && {
        Privileges: {
          ...Privileges,
          CredentialSpec: { ...credentials, Config: ids.configs.get(runtime.ConfigName) ?? '' },
        },
      }),
  }
}
