import { type ReferenceRenames, withReferenceNames } from '../convert/references.ts'
import type { StackSpec } from '../convert/stackSpec.ts'

/** A secret or config that the manifest declares or a service uses, and its name in the swarm for this run. */
export interface UsedObject {
  readonly kind: 'secret' | 'config'
  /** The manifest's key. */
  readonly key: string
  /** The swarm's name: that of its generation, where it was rotated. */
  readonly name: string
}

/** All of them, secrets first, each kind in the stack's order. */
export function usedObjects({ secrets, configs }: StackSpec): readonly UsedObject[] {
  return [
    ...secrets.map(({ key, name }) => ({ kind: 'secret', key, name }) as const),
    ...configs.map(({ key, name }) => ({ kind: 'config', key, name }) as const),
  ]
}

/** The stack with these names, in the objects themselves and wherever a service refers to them. */
export function withFileNames(stack: StackSpec, names: ReferenceRenames): StackSpec {
  const named = <T extends StackSpec['secrets'][number] | StackSpec['configs'][number]>(
    object: T,
    known: ReadonlyMap<string, string>,
  ): T => ({ ...object, name: known.get(object.name) ?? object.name })
  return {
    ...stack,
    secrets: stack.secrets.map((object) => named(object, names.secrets)),
    configs: stack.configs.map((object) => named(object, names.configs)),
    services: stack.services.map((service) => ({ ...service, spec: withReferenceNames(service.spec, names) })),
  }
}
