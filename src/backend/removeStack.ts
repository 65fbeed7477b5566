import { EngineError } from '../engine/engine.ts'
import { DeployError, messageOf } from '../errors.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'
import { inParallel } from './inParallel.ts'
import { isReleaseRecord } from './releaseRecords.ts'
import { stopIfCancelled, type Writing, write } from './writing.ts'

interface Doomed {
  readonly kind: 'service' | 'config' | 'secret' | 'network'
  readonly id: string
  readonly name: string
}

/**
 * Removes a stack's services, then its configs, secrets and networks, as far as they carry its label; release records and volumes
 * stay. What is gone already is as it should be, and so is a failed removal that leaves nothing behind: Swarm drops networks with
 * their last task, and does not always say "not found" then. Repeatable. Does not wait for tasks to end.
 */
export async function removeStack(namespace: string, writing: Writing): Promise<void> {
  // Without a name the filter would match every stack.
  if (namespace === '') throw new DeployError('input', 'a stack without a name cannot be removed')
  const failures: unknown[] = []
  for (const kind of kinds) {
    const doomed = await list(kind, namespace, writing)
    await inParallel(doomed, writing.settings.concurrency, async (object) => {
      try {
        await remove(object, writing)
      } catch (error) {
        stopIfCancelled(writing.settings, `${kind} ${object.name}`)
        failures.push(error)
      }
    })
  }
  if (failures.length === 0) return
  const remaining = (await Promise.all(kinds.map((kind) => list(kind, namespace, writing)))).flat()
  if (remaining.length === 0) return
  throw new DeployError(
    'engine',
    `stack ${namespace} is removed only in part; left are ${remaining.map(({ kind, name }) => `${kind} ${name}`).join(', ')}: ${failures.map(messageOf).join('; ')}`,
    { cause: failures[0], remedy: 'Run it again: tasks that are still ending hold on to what they use.' },
  )
}

// --- Internal helpers ---

const kinds = ['service', 'config', 'secret', 'network'] as const

async function list(
  kind: Doomed['kind'],
  namespace: string,
  { engine, settings }: Writing,
): Promise<readonly Doomed[]> {
  const filters = { label: [`${NAMESPACE_LABEL}=${namespace}`] }
  const options = { signal: settings.signal }
  const stored = ({ ID, Spec }: { readonly ID: string; readonly Spec: { readonly Name?: string } }): Doomed => ({
    kind,
    id: ID,
    name: Spec.Name ?? ID,
  })
  switch (kind) {
    case 'service':
      return (await engine.listServices(filters, options)).map(stored)
    case 'secret':
      return (await engine.listSecrets(filters, options)).map(stored)
    case 'config':
      return (await engine.listConfigs(filters, options)).filter((config) => !isReleaseRecord(config)).map(stored)
    case 'network':
      return (await engine.listNetworks(filters, options)).map(({ Id, Name }) => ({ kind, id: Id, name: Name }))
  }
}

async function remove({ kind, id, name }: Doomed, writing: Writing): Promise<void> {
  const { engine, settings } = writing
  settings.log(`Removing ${kind} ${name}`)
  const calls = {
    service: () => engine.removeService(id),
    config: () => engine.removeConfig(id),
    secret: () => engine.removeSecret(id),
    network: () => engine.removeNetwork(id),
  }
  try {
    await write(writing, `${kind} ${name}`, calls[kind])
  } catch (error) {
    if (!(error instanceof EngineError) || error.kind !== 'not-found') throw error
  }
}
