import { type Engine, EngineError } from '../engine/engine.ts'
import type { DigestAnswer } from './image.ts'
import { inParallel } from './inParallel.ts'
import type { Settings } from './options.ts'

/**
 * Asks the registries, through the manager, what the images' digests are: each image once. An image that can't be looked up has
 * the manager's reason; only a lost connection is an error.
 */
export async function lookUpDigests(
  engine: Engine,
  images: readonly string[],
  { registryAuth, concurrency, signal }: Settings,
): Promise<ReadonlyMap<string, DigestAnswer>> {
  const distinct = [...new Set(images)]
  const answers = await inParallel(distinct, concurrency, async (image): Promise<DigestAnswer> => {
    try {
      return await engine.inspectDistribution(image, { registryAuth: registryAuth?.headerFor(image), signal })
    } catch (error) {
      if (error instanceof EngineError && error.kind !== 'connection') return { error: error.message }
      throw error
    }
  })
  return new Map(distinct.map((image, index) => [image, answers[index] ?? { error: 'it was not looked up' }]))
}
