import { inParallel } from './inParallel.ts'
import type { Observation } from './observe.ts'
import { type Restored, restoreService, type TouchedService } from './restoreService.ts'
import type { Writing } from './writing.ts'

export interface Restoration {
  readonly service: TouchedService
  readonly restored: Restored
}

/**
 * Gives each service its spec from before and the credential that was stored with it, and removes those that were not there. What someone
 * else changed meanwhile is left alone, and what Swarm put back itself is as good. One that can't be put back keeps none of the others
 * from it. Throws `cancelled` where the run is stopped; until then `tell` has been told of each.
 */
export async function restoreServices(
  touched: readonly TouchedService[],
  observation: Pick<Observation, 'tasks' | 'nodes'>,
  writing: Writing,
  tell: (restoration: Restoration) => void,
): Promise<readonly Restoration[]> {
  const { engine, settings } = writing
  if (touched.length === 0) return []
  const names = touched.map(({ name }) => name)
  const listed = await engine.listServices({ name: names }, { signal: settings.signal })
  const done: Restoration[] = []
  /** Answers those that the engine refused. */
  const each = async (services: readonly TouchedService[]): Promise<readonly Restoration[]> => {
    const refused: Restoration[] = []
    await inParallel(services, settings.concurrency, async (service) => {
      const live = listed.find(({ Spec }) => Spec.Name === service.name)
      const restoration = { service, restored: await restoreService(service, live, observation, writing) }
      if (restoration.restored.kind === 'refused') {
        refused.push(restoration)
        return
      }
      done.push(restoration)
      tell(restoration)
    })
    return refused
  }
  // A new service may have taken a port that another had before, and so may one that is put back after it.
  let open = [...(await each(touched.filter(isNew))), ...(await each(touched.filter((service) => !isNew(service))))]
  for (let before = open.length + 1; open.length > 0 && open.length < before; ) {
    before = open.length
    open = [...(await each(open.map(({ service }) => service)))]
  }
  open.forEach(tell)
  return [...done, ...open]
}

function isNew({ live }: TouchedService): boolean {
  return live === undefined
}
