import { NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Service } from '../swarm/service.ts'
import type { Task } from '../swarm/task.ts'
import { instantOf } from './instant.ts'
import { isNativeJob, type Mode, mayComplete, modeOf, restartCondition, wantedReplicas } from './mode.ts'
import { eligibleNodes, isSchedulable } from './nodes.ts'
import type { Snapshot } from './verdict.ts'

/** Where one service of a stack stands, of whatever generation its tasks are. */
export interface ServiceState {
  readonly id: string
  /** The swarm's name. */
  readonly name: string
  readonly mode: Mode
  readonly image: string
  /** Tasks that run and are meant to, the newest of each slot or node, on schedulable nodes. */
  readonly running: number
  readonly desired: number
  /** Tasks that ended with exit code 0, for jobs and for services that Swarm does not restart then. */
  readonly completed: number
  /** Whether its tasks may end: a job, or restart condition `none` or `on-failure`. */
  readonly job: boolean
  /** Swarm's own job modes. */
  readonly nativeJob: boolean
  /** A task that failed and that Swarm will not start again (restart condition `none`). */
  readonly dead: boolean
  /** Swarm's error of such a task, where it has one. */
  readonly deadReason: string
  /** `UpdateStatus.State`; empty for a service that was never updated. */
  readonly updateState: string
  readonly updateMessage: string
  /** `update_config.monitor` in milliseconds, 0 where it is not set. */
  readonly monitor: number
  /** Milliseconds since the newest counted task was created; 0 without one. */
  readonly newestTaskAge: number
  /** `2/3`, as `docker stack services` would count it. */
  readonly replicas: string
  /** `active`, `updating`, `paused`, `updated`, `rolling back`, `rollback paused`, `rolled back` or `completed`. */
  readonly status: string
}

/** The states of a stack's services, sorted by name, all from one snapshot. */
export function serviceStates(snapshot: Snapshot, namespace: string): readonly ServiceState[] {
  return snapshot.services
    .filter((service) => service.Spec.Labels?.[NAMESPACE_LABEL] === namespace)
    .map((service) => serviceState(service, snapshot))
    .sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0))
}

function serviceState(service: Service, snapshot: Snapshot): ServiceState {
  const { Spec: spec } = service
  const mode = modeOf(spec)
  const job = mayComplete(spec)
  const nativeJob = isNativeJob(mode)
  const usable = new Set(snapshot.nodes.filter(isSchedulable).map((node) => node.ID))
  const tasks = snapshot.tasks.filter((task) => task.ServiceID === service.ID)
  const counts = { running: 0, completed: 0, dead: false, deadReason: '', newest: 0 }
  for (const task of newestTasks(nativeJob ? tasks.filter((task) => ofIteration(task, service)) : tasks)) {
    if (!usable.has(task.NodeID ?? '')) continue
    const { State: state, Err: error } = task.Status
    const wanted = task.DesiredState === 'running' || (nativeJob && task.DesiredState === 'complete')
    if (state === 'running' && wanted) counts.running++
    else if (job && state === 'complete') counts.completed++
    else if (restartCondition(spec) === 'none' && /^(failed|rejected|orphaned)$/.test(state)) {
      counts.dead = true
      counts.deadReason ||= error ?? ''
    } else continue
    counts.newest = Math.max(counts.newest, instantOf(task.CreatedAt))
  }
  const desired = wantedReplicas(service) ?? eligibleNodes(spec, snapshot.nodes).length
  const updateState = service.UpdateStatus?.State ?? ''
  const done = nativeJob ? counts.completed : counts.running + counts.completed
  return {
    id: service.ID,
    name: spec.Name ?? '',
    mode,
    image: spec.TaskTemplate.ContainerSpec?.Image ?? '',
    running: counts.running,
    desired,
    completed: counts.completed,
    job,
    nativeJob,
    dead: counts.dead,
    deadReason: counts.deadReason,
    updateState,
    updateMessage: service.UpdateStatus?.Message ?? '',
    monitor: Number(spec.UpdateConfig?.Monitor ?? 0) / 1e6,
    newestTaskAge: counts.newest === 0 ? 0 : Math.max(0, snapshot.now - counts.newest),
    replicas:
      mode === 'replicated' && counts.completed === 0
        ? `${tasks.filter((task) => task.Status.State === 'running').length}/${desired}`
        : `${done}/${desired}`,
    status: job && counts.completed > 0 && done >= desired ? 'completed' : statusText(updateState),
  }
}

/** Only tasks of a job's present run count: each update starts a new iteration. */
export function ofIteration(task: Task, service: Service): boolean {
  return (task.JobIteration?.Index ?? 0) === (service.JobStatus?.JobIteration.Index ?? 0)
}

function newestTasks(tasks: readonly Task[]): readonly Task[] {
  const newest = new Map<string, Task>()
  for (const task of tasks) {
    const slot = task.Slot ?? 0
    const key = slot > 0 ? `slot ${slot}` : (task.NodeID ?? '')
    if (key === '') continue
    const known = newest.get(key)
    if (known === undefined || instantOf(task.CreatedAt) > instantOf(known.CreatedAt)) newest.set(key, task)
  }
  return [...newest.values()]
}

function statusText(updateState: string): string {
  const words: Readonly<Record<string, string>> = {
    '': 'active',
    completed: 'updated',
    rollback_started: 'rolling back',
    rollback_paused: 'rollback paused',
    rollback_completed: 'rolled back',
  }
  return words[updateState] ?? updateState
}
