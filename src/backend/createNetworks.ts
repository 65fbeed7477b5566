import { NAMESPACE_LABEL } from '../swarm/names.ts'
import { createNamed } from './createNamed.ts'
import { inParallel } from './inParallel.ts'
import type { Plan } from './plan.ts'
import { refusedWrite, type Writing } from './writing.ts'

/** Creates the plan's networks. One that a racing run of the same stack has created meanwhile will do. */
export async function createNetworks({ namespace, networks }: Plan, writing: Writing): Promise<void> {
  const { engine, settings } = writing
  await inParallel(networks, settings.concurrency, async ({ request, position }) => {
    const { Name: name } = request
    settings.log(`Creating network ${name}`)
    const find = async () => {
      const found = (await engine.listNetworks({ name: [name] })).find(({ Name }) => Name === name)
      if (found === undefined) return undefined
      return found.Labels?.[NAMESPACE_LABEL] === namespace ? { id: found.Id, warning: '' } : ('other' as const)
    }
    try {
      const { warning } = await createNamed(writing, `network ${name}`, () => engine.createNetwork(request), find)
      if (warning)
        settings.warn({ severity: 'warning', code: 'engine', message: `network ${name}: ${warning}`, position })
    } catch (error) {
      throw refusedWrite(error, position)
    }
  })
}
