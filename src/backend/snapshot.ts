import type { CallOptions, Engine } from '../engine/engine.ts'
import { EngineError } from '../engine/engine.ts'
import type { Snapshot } from '../health/verdict.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'

/**
 * One look at a stack, or at all of them, its four lists read at once. `now` is read before them, so that no window is taken for over too early.
 * @param now milliseconds since the epoch by the manager's clock
 */
export async function readSnapshot(
  engine: Engine,
  namespace: string | undefined,
  now: () => number,
  options?: CallOptions,
): Promise<Snapshot> {
  const at = now()
  const label = [namespace === undefined ? NAMESPACE_LABEL : `${NAMESPACE_LABEL}=${namespace}`]
  const [services, tasks, upToDate, nodes] = await Promise.all([
    engine.listServices({ label }, options),
    engine.listTasks({ label }, options),
    // Undocumented, though docker's own CLI relies on it: an engine that refuses it cannot tell.
    engine.listTasks({ label, '_up-to-date': ['true'] }, options).catch((error: unknown) => {
      if (error instanceof EngineError && error.kind === 'refused') return undefined
      throw error
    }),
    engine.listNodes(undefined, options),
  ])
  return { now: at, services, tasks, upToDate: upToDate && new Set(upToDate.map((task) => task.ID)), nodes }
}
