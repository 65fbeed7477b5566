import { CREATED_LABEL, NAMESPACE_LABEL } from '../swarm/names.ts'
import { awaitAddresses } from './awaitAddresses.ts'
import { createNamed } from './createNamed.ts'
import { inParallel } from './inParallel.ts'
import type { Plan } from './plan.ts'
import type { NetworkStep } from './planNetworks.ts'
import { refusedWrite, type Writing } from './writing.ts'

/** Creates the plan's networks, and waits until Swarm has given them addresses; answers their names by id. */
export async function createNetworks(
  { namespace, networks }: Pick<Plan, 'namespace' | 'networks'>,
  writing: Writing,
): Promise<ReadonlyMap<string, string>> {
  const missing = networks.filter(({ action }) => action === 'create')
  const ids = await inParallel(missing, writing.settings.concurrency, (step) => createNetwork(step, namespace, writing))
  const created = missing.map(({ request }, index) => ({ name: request.Name, id: ids[index] ?? '' }))
  const pending = networks.filter(({ isPending }) => isPending)
  await awaitAddresses(pending, new Map(created.map(({ name, id }) => [name, id])), writing)
  return new Map(created.map(({ name, id }) => [id, name]))
}

/** Creates a network and answers its id. One that a racing run of the same stack has created meanwhile will do. */
export async function createNetwork(
  { request, position }: NetworkStep,
  namespace: string,
  writing: Writing,
): Promise<string> {
  const { engine, settings } = writing
  const { Name: name } = request
  settings.log(`Creating network ${name}`)
  const marked = {
    ...request,
    Labels: { ...request.Labels, [CREATED_LABEL]: new Date(settings.now()).toISOString() },
  }
  const find = async () => {
    const found = (await engine.listNetworks({ name: [name] })).find(({ Name }) => Name === name)
    if (found === undefined) return undefined
    return found.Labels?.[NAMESPACE_LABEL] === namespace ? { id: found.Id, warning: '' } : ('other' as const)
  }
  try {
    const { id, warning } = await createNamed(writing, `network ${name}`, () => engine.createNetwork(marked), find)
    if (warning)
      settings.warn({ severity: 'warning', code: 'engine', message: `network ${name}: ${warning}`, position })
    return id
  } catch (error) {
    throw refusedWrite(error, { position })
  }
}
