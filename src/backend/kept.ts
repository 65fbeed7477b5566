import type { StackSpec } from '../convert/stackSpec.ts'
import type { UsedObject } from './fileNames.ts'

/** What a stack is now, by the swarm's names: all else that carries its label has left the manifest. */
export interface Kept {
  readonly namespace: string
  readonly services: ReadonlySet<string>
  readonly networks: ReadonlySet<string>
  /** Those in use: of a rotated one the generation. */
  readonly secrets: ReadonlySet<string>
  readonly configs: ReadonlySet<string>
  /** What the manifest calls its secrets and configs: generations are known by it. */
  readonly declared: ReadonlySet<string>
  /** What is younger (ms, manager's clock) is the work of a run that is at it right now. */
  readonly before: number
}

/**
 * @param spec the whole stack, as the manifest has it
 * @param objects what its deployment used
 * @param before the time (ms, manager's clock) of the deployment's first read
 */
export function keptOf(spec: StackSpec, objects: readonly UsedObject[], before: number): Kept {
  const namesOf = (all: readonly { readonly name: string }[]): ReadonlySet<string> =>
    new Set(all.map(({ name }) => name))
  return {
    namespace: spec.namespace,
    services: new Set([...namesOf(spec.services), ...(spec.inactive ?? [])]),
    networks: namesOf(spec.networks),
    secrets: namesOf(objects.filter(({ kind }) => kind === 'secret')),
    configs: namesOf(objects.filter(({ kind }) => kind === 'config')),
    declared: namesOf([...spec.secrets, ...spec.configs]),
    before,
  }
}
