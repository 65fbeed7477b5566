import type { Meta } from '../../src/swarm/common.ts'
import type { Config, ConfigSpec, Secret, SecretSpec } from '../../src/swarm/secret.ts'
import type { Service, ServiceSpec } from '../../src/swarm/service.ts'
import { fault, known, outOfSequence } from './memoryFaults.ts'

/** Bytes. Source: moby/swarmkit manager/controlapi. */
const LIMITS = { secret: 512_000, config: 1_024_000 } as const

/** What the store of secrets or configs needs of its swarm. */
export interface FileStoreOwner {
  readonly born: () => Meta & { readonly ID: string }
  readonly touched: () => Pick<Meta, 'Version' | 'UpdatedAt'>
  readonly userOf: (uses: (spec: ServiceSpec) => boolean) => Service | undefined
  readonly wrote: (what: string) => void
}

export interface FileStore<Spec> {
  create(spec: Spec): string
  update(id: string, version: number, spec: Spec): void
  remove(id: string): void
}

/** Secrets or configs: labels may change, contents may not, and what a service uses stays. */
export function fileStore<Spec extends SecretSpec & ConfigSpec, Live extends Secret | Config>(
  kind: 'secret' | 'config',
  store: Map<string, Live>,
  uses: (spec: ServiceSpec, id: string) => boolean,
  by: FileStoreOwner,
): FileStore<Spec> {
  return {
    create(spec: Spec): string {
      const name = spec.Name ?? ''
      const size = Buffer.from(spec.Data ?? '', 'base64').length
      const isMadeBySwarm = kind === 'secret' && Boolean(spec.Driver)
      if (!isMadeBySwarm && (size === 0 || size >= LIMITS[kind])) {
        const message = `${kind} data must be larger than 0 and less than ${LIMITS[kind]} bytes`
        throw fault('refused', 400, message)
      }
      if ([...store.values()].some((live) => live.Spec.Name === name))
        throw fault('already-exists', 409, `${kind} ${name} already exists`)
      const live = { ...by.born(), Spec: structuredClone({ ...spec, Labels: spec.Labels ?? {} }) }
      store.set(live.ID, live as unknown as Live)
      by.wrote(`create ${kind} ${name}`)
      return live.ID
    },
    update(id: string, version: number, spec: Spec): void {
      const live = known(store, id, kind)
      // In this order: who asks with a version that can't be learns whether the data is the same.
      if (spec.Name !== live.Spec.Name || (spec.Data !== undefined && spec.Data !== live.Spec.Data))
        throw fault('refused', 400, 'only updates to Labels are allowed')
      if (live.Version.Index !== version) throw outOfSequence()
      store.set(live.ID, { ...live, ...by.touched(), Spec: { ...live.Spec, Labels: { ...spec.Labels } } })
      by.wrote(`update ${kind} ${live.Spec.Name}`)
    },
    remove(id: string): void {
      const live = known(store, id, kind)
      const user = by.userOf((spec) => uses(spec, live.ID))
      if (user)
        throw fault('refused', 400, `${kind} '${live.Spec.Name}' is in use by the following service: ${user.Spec.Name}`)
      store.delete(live.ID)
      by.wrote(`remove ${kind} ${live.Spec.Name}`)
    },
  }
}
