import { EngineError } from '../engine/engine.ts'
import { DeployError, messageOf } from '../errors.ts'
import type { Change } from './change.ts'
import { inParallel } from './inParallel.ts'
import { removeObject } from './removeObject.ts'
import { createLook, KINDS, type Remains, type StackObject } from './stackRemains.ts'
import { stopIfCancelled, type Writing } from './writing.ts'

/**
 * Removes a stack's services, then its configs, secrets and networks, as far as they carry its label; release records and volumes
 * stay. What is gone already is as it should be, and so is a failed removal that leaves nothing behind: Swarm drops networks with
 * their last task, and does not always say "not found" then. Repeatable. Does not wait for tasks to end.
 */
export async function removeStack(namespace: string, writing: Writing): Promise<void> {
  const { objects } = await createSweep(namespace, writing)()
  if (objects.some(({ refusal }) => refusal !== undefined)) throw stillThere(namespace, objects)
}

/**
 * A pass over a stack that removes what it can and answers what is left. Called again, it asks again for what was refused, and leaves
 * alone what the engine has agreed to remove: a network goes on being listed until its last container is gone.
 */
export function createSweep(namespace: string, writing: Writing): () => Promise<Remains> {
  // Without a name the filter would match every stack.
  if (namespace === '') throw new DeployError('input', 'a stack without a name cannot be removed')
  const { engine, settings } = writing
  const { journal, log, signal, concurrency } = settings
  const look = createLook(namespace, engine, signal)
  const removed = new Set<string>()
  const announced = new Set<string>()

  const remove = async (object: StackObject, refusals: Map<string, Error>): Promise<void> => {
    const name = `${object.kind} ${object.name}`
    stopIfCancelled(settings, name)
    if (!announced.has(object.id)) log(`Removing ${name}`)
    announced.add(object.id)
    try {
      await removeObject(object, writing)
      removed.add(object.id)
    } catch (error) {
      stopIfCancelled(settings, name)
      if (!(error instanceof EngineError) || error.isFinal) throw error
      refusals.set(object.id, error)
    }
  }

  return async () => {
    const before = await look()
    const open = before.objects.filter(({ id }) => !removed.has(id))
    if (open.length === 0) return before
    journal.plan(open.map(removalOf))
    const refusals = new Map<string, Error>()
    for (const kind of KINDS) {
      const ofKind = open.filter((object) => object.kind === kind)
      await inParallel(ofKind, concurrency, (object) => remove(object, refusals))
    }
    const after = await look().catch((error: unknown) => {
      throw withRefusals(error, refusals)
    })
    for (const { id, kind, name } of open) {
      if (!refusals.has(id) || after.objects.some((object) => object.id === id)) continue
      journal.start(`${kind} ${name}`)
      journal.done(`${kind} ${name}`)
    }
    return { ...after, objects: after.objects.map((object) => ({ ...object, refusal: refusals.get(object.id) })) }
  }
}

/** The end of a removal that the engine would not carry out, in its own words. */
export function stillThere(namespace: string, objects: readonly StackObject[]): DeployError {
  const refused = objects.filter(({ refusal }) => refusal !== undefined)
  const left = refused.map(({ kind, name }) => `${kind} ${name}`).join(', ')
  const refusals = refused.flatMap(({ refusal = [] }) => refusal)
  const inUse = refusals.some(({ message }) => /in use|active endpoints/i.test(message))
  return new DeployError(
    'engine',
    `stack ${namespace} is removed only in part; left: ${left}: ${[...new Set(refusals.map(messageOf))].join('; ')}`,
    {
      cause: refusals[0],
      remedy: inUse
        ? 'Remove or change what still uses it, such as a service of another stack or a container on its network, then run this again.'
        : 'Run it again: what is gone already is left alone.',
    },
  )
}

// --- Internal helpers ---

function removalOf({ kind, name }: StackObject): Change {
  return { kind, name, action: 'remove', fields: [] }
}

/** What is left could not be read, and some removals failed: both have to be told. */
function withRefusals(error: unknown, refusals: ReadonlyMap<string, Error>): unknown {
  if (!(error instanceof EngineError) || refusals.size === 0) return error
  const message = [...refusals.values(), error].map(messageOf).join('; ')
  return new EngineError(error.kind, error.status, message, { cause: error.cause })
}
