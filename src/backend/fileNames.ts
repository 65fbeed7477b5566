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
