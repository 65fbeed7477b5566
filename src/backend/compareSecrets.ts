import type { StackSpec } from '../convert/stackSpec.ts'
import type { Engine } from '../engine/engine.ts'
import { messageOf } from '../errors.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Secret } from '../swarm/secret.ts'
import { secretIs } from './fileContent.ts'
import { inParallel } from './inParallel.ts'
import type { Settings } from './options.ts'
import { isKind } from './writing.ts'

/** No object of a swarm has it: versions are numbers of its log's entries, and that begins with others. */
const NO_VERSION = 0

/**
 * The secrets that somebody else made, by name → whether the engine holds the manifest's content. It never gives a secret away, but it
 * compares the data of an update before it looks at the update's version: with a version that can't be, it answers what we want to know and
 * writes nothing. Source: moby/swarmkit manager/controlapi/secret.go; tried with engine 20.10.
 */
export async function compareSecrets(
  engine: Engine,
  { namespace, secrets }: StackSpec,
  live: ReadonlyMap<string, Secret>,
  { signal, concurrency }: Settings,
): Promise<ReadonlyMap<string, boolean>> {
  const unknown = secrets.flatMap((object) => {
    const found = live.get(object.name)
    if (object.external || found === undefined || secretIs(found, object.spec) !== undefined) return []
    if ((found.Spec.Labels?.[NAMESPACE_LABEL] ?? namespace) !== namespace) return []
    return [{ found, spec: { ...object.spec, Labels: found.Spec.Labels ?? {} } }]
  })
  const answers = await inParallel(
    unknown,
    concurrency,
    async ({ found, spec }): Promise<readonly [string, boolean]> => {
      try {
        await engine.updateSecret(found.ID, NO_VERSION, spec, { signal })
      } catch (error) {
        if (/only updates to Labels/i.test(messageOf(error))) return [spec.Name ?? '', false]
        if (!isKind(error, 'version-conflict')) throw error
      }
      return [spec.Name ?? '', true]
    },
  )
  return new Map(answers)
}
