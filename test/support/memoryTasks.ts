// How the in-memory swarm's tasks come and go: at once, by what their image is told to do.
import { isDeepStrictEqual } from 'node:util'
import { hasSlots, modeOf, restartCondition, restartLimit, wantedReplicas } from '../../src/health/mode.ts'
import { eligibleNodes } from '../../src/health/nodes.ts'
import type { Node } from '../../src/swarm/node.ts'
import type { Service, UpdateState } from '../../src/swarm/service.ts'
import type { Task, TaskState } from '../../src/swarm/task.ts'

/** What a container does: runs for ever, ends with exit code 3 or 0, cannot be pulled, or never gets beyond `preparing`. */
export type Behaviour = 'run' | 'crash' | 'complete' | 'reject' | 'hang'

/** As the test bed's images: `tb/crash:1` crashes, `tb/job:1` completes, `nope/…` is in no registry. */
export function behaviourOfImage(image: string): Behaviour {
  if (image.includes('crash')) return 'crash'
  if (image.includes('job')) return 'complete'
  if (image.startsWith('nope/')) return 'reject'
  return image.includes('slow') ? 'hang' : 'run'
}

export interface Orchestration {
  readonly nodes: readonly Node[]
  readonly behaviour: (image: string) => Behaviour
  /** A new id, and the present time, each a little later than the last. */
  readonly newId: () => string
  readonly time: () => string
}

export interface Orchestrated {
  readonly tasks: readonly Task[]
  /** Undefined where no task had to change. */
  readonly state: UpdateState | undefined
}

/** The tasks of a service after Swarm has made of its spec what it can, and what became of the update. */
export function orchestrate(
  service: Service,
  before: readonly Task[],
  isUpdate: boolean,
  by: Orchestration,
): Orchestrated {
  const kept = before.filter((task) => task.ServiceID === service.ID)
  const tasks = [...before.filter((task) => task.ServiceID !== service.ID)]
  const mode = modeOf(service.Spec)
  const places: readonly { readonly Slot?: number; readonly NodeID: string }[] = hasSlots(mode)
    ? Array.from({ length: wantedReplicas(service) ?? 0 }, (_, index) => ({
        Slot: index + 1,
        NodeID: by.nodes[index % by.nodes.length]?.ID ?? '',
      }))
    : eligibleNodes(service.Spec, by.nodes).map((node) => ({ NodeID: node.ID }))
  let changed = false
  let failed = false
  for (const place of places) {
    const here = kept.filter((task) =>
      place.Slot === undefined ? task.NodeID === place.NodeID : task.Slot === place.Slot,
    )
    const newest = here.at(-1)
    // A slot whose newest task is of the present spec is left as it is, dead or alive; a job runs anew with each update.
    if (newest && !service.JobStatus && isDeepStrictEqual(newest.Spec, templateOf(service))) {
      tasks.push(...here)
      continue
    }
    changed = true
    const born = run(service, place, by)
    failed ||= born.some((task) => task.Status.State !== 'running' && task.Status.State !== 'preparing')
    tasks.push(...here.map((task) => stopped(task)), ...born)
  }
  const state = changed && isUpdate && !service.JobStatus ? stateAfter(service, failed) : undefined
  return { tasks, state }
}

/** A task's copy of its service's template: without the runtime, which only the service names. */
export function templateOf(service: Service): Task['Spec'] {
  const { Runtime: _runtime, ...template } = service.Spec.TaskTemplate
  return template
}

// --- Internal helpers ---

function stateAfter({ Spec: spec }: Service, failed: boolean): UpdateState {
  const action = spec.UpdateConfig?.FailureAction
  return !failed || action === 'continue' ? 'completed' : action === 'rollback' ? 'rollback_completed' : 'paused'
}

function run(
  service: Service,
  place: { readonly Slot?: number; readonly NodeID: string },
  by: Orchestration,
): readonly Task[] {
  const behaviour = by.behaviour(service.Spec.TaskTemplate.ContainerSpec?.Image ?? '')
  const job = service.JobStatus
  const one = (state: TaskState, desired: TaskState, more: Partial<Task['Status']> = {}): Task => {
    const time = by.time()
    return {
      ID: by.newId(),
      Version: { Index: 1 },
      CreatedAt: time,
      UpdatedAt: time,
      ServiceID: service.ID,
      Spec: templateOf(service),
      ...place,
      DesiredState: desired,
      Status: { Timestamp: time, State: state, ...more },
      ...(job && { JobIteration: job.JobIteration }),
    }
  }
  switch (behaviour) {
    case 'run':
      return [
        one('running', job ? 'complete' : 'running', { ContainerStatus: { ContainerID: `${by.newId()}container` } }),
      ]
    case 'hang':
      return [one('preparing', job ? 'complete' : 'running')]
    case 'complete': {
      const complete = one('complete', 'shutdown', { ContainerStatus: { ExitCode: 0 } })
      return job || restartCondition(service.Spec) !== 'any' ? [complete] : [complete, one('ready', 'ready')]
    }
    default: {
      const end =
        behaviour === 'crash'
          ? one('failed', 'shutdown', { Err: 'task: non-zero exit (3)', ContainerStatus: { ExitCode: 3 } })
          : one('rejected', 'shutdown', { Err: 'No such image' })
      const limit = restartLimit(service.Spec)
      const repeats = Array.from({ length: Math.min(limit ?? 1, 3) }, () => ({
        ...end,
        ID: by.newId(),
        CreatedAt: by.time(),
      }))
      return limit === undefined ? [end, one('ready', 'running')] : [end, ...repeats]
    }
  }
}

function stopped(task: Task): Task {
  const alive = task.Status.State === 'running' || task.Status.State === 'preparing' || task.Status.State === 'ready'
  return { ...task, DesiredState: 'shutdown', Status: alive ? { ...task.Status, State: 'shutdown' } : task.Status }
}
