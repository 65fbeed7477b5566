import { type Engine, EngineError } from '../engine/engine.ts'
import type { Snapshot } from '../health/verdict.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'

/**
 * One look at a stack: four lists at once, whatever its size. `now` is read before them, so that no window is taken for over too early.
 *
 * @param now milliseconds since the epoch by the manager's clock
 * @throws EngineError as the engine's calls do
 */
export async function readSnapshot(
  engine: Engine,
  namespace: string,
  now: () => number,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const at = now()
  const filters = { label: [`${NAMESPACE_LABEL}=${namespace}`] }
  const [services, tasks, upToDate, nodes] = await Promise.all([
    engine.listServices(filters, { signal }),
    engine.listTasks(filters, { signal }),
    // The filter is undocumented though docker's own CLI relies on it: an engine without it is no failure.
    engine.listTasks({ ...filters, '_up-to-date': ['true'] }, { signal }).catch((error: unknown) => {
      if (error instanceof EngineError && error.kind === 'refused') return undefined
      throw error
    }),
    engine.listNodes(undefined, { signal }),
  ])
  return { now: at, services, tasks, upToDate: upToDate && new Set(upToDate.map((task) => task.ID)), nodes }
}
