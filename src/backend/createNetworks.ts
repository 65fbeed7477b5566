import { NAMESPACE_LABEL } from '../swarm/names.ts'
import { inParallel } from './inParallel.ts'
import type { Plan } from './plan.ts'
import { isKind, isUnclear, refusedWrite, type Writing, write } from './writing.ts'

/** Creates the plan's networks. One that a racing run of the same stack has created meanwhile will do. */
export async function createNetworks({ namespace, networks }: Plan, writing: Writing): Promise<void> {
  const { engine, settings } = writing
  await inParallel(networks, settings.concurrency, async (request) => {
    settings.log(`Creating network ${request.Name}`)
    const journalName = `network ${request.Name}`
    try {
      const { warning } = await write(writing, journalName, () => engine.createNetwork(request))
      if (warning)
        settings.warn({ severity: 'warning', code: 'engine', message: `network ${request.Name}: ${warning}` })
    } catch (error) {
      if (!isKind(error, 'already-exists') && !isUnclear(error)) throw refusedWrite(error)
      const found = (await engine.listNetworks({ name: [request.Name] })).find(({ Name }) => Name === request.Name)
      if (found?.Labels?.[NAMESPACE_LABEL] !== namespace) throw refusedWrite(error)
      settings.journal.start(journalName)
      settings.journal.done(journalName)
    }
  })
}
