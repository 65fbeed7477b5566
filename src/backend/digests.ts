import { type Engine, EngineError } from '../engine/engine.ts'
import { familiarImage } from '../image/reference.ts'
import type { DigestAnswer } from './image.ts'
import { inParallel } from './inParallel.ts'
import type { Settings } from './options.ts'

/**
 * Asks the registries, through the manager, what the images' digests are: each image once, whatever ways it is written. An image that can't be looked up has
 * the manager's reason; only a lost connection is an error.
 */
export async function lookUpDigests(
  engine: Engine,
  images: readonly string[],
  { registryAuth, concurrency, signal }: Settings,
): Promise<ReadonlyMap<string, DigestAnswer>> {
  // What runs no container has no image.
  const wanted = images.filter((image) => image !== '')
  const spellings = new Map(wanted.map((image) => [familiarImage(image), image]))
  const distinct = [...spellings.values()]
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
  const known = new Map([...spellings.keys()].map((name, index) => [name, answers[index]]))
  return new Map(wanted.map((image) => [image, known.get(familiarImage(image)) ?? { reason: 'it was not looked up' }]))
}
