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
  // What runs no container has no image.
  const distinct = [...new Set(images)].filter((image) => image !== '')
  const answers = await inParallel(distinct, concurrency, async (image): Promise<DigestAnswer> => {
    const header = registryAuth?.headerFor(image)
    try {
      return await engine.inspectDistribution(image, { registryAuth: header, signal })
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'connection') throw error
      if (error.kind !== 'unauthorized') return { reason: error.message }
      return { reason: error.message, login: header === undefined ? 'missing' : 'refused' }
    }
  })
  return new Map(distinct.map((image, index) => [image, answers[index] ?? { reason: 'it was not looked up' }]))
}
