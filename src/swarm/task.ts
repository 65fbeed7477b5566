// Tasks and their states. Source: moby api/types/swarm/task.go.
import type { Labels, Meta, Timestamp } from './common.ts'
import type { TaskSpec } from './service.ts'

export type TaskState =
  | 'new'
  | 'allocated'
  | 'pending'
  | 'assigned'
  | 'accepted'
  | 'preparing'
  | 'ready'
  | 'starting'
  | 'running'
  | 'complete'
  | 'shutdown'
  | 'failed'
  | 'rejected'
  | 'remove'
  | 'orphaned'

export interface Task extends Meta {
  readonly ID: string
  readonly Labels?: Labels | null
  readonly Spec: TaskSpec
  readonly ServiceID: string
  /** From 1 for replicated services; absent or 0 for global ones. */
  readonly Slot?: number
  /** Empty until the scheduler has chosen. */
  readonly NodeID?: string
  readonly Status: TaskStatus
  readonly DesiredState: TaskState
  readonly JobIteration?: { readonly Index?: number } | null
  readonly NetworksAttachments?: readonly unknown[] | null
  readonly GenericResources?: readonly unknown[] | null
  readonly Volumes?: readonly unknown[] | null
}

export interface TaskStatus {
  /** When the task entered `State`. */
  readonly Timestamp: Timestamp
  readonly State: TaskState
  readonly Message?: string
  /** Swarm's own words, whole. */
  readonly Err?: string
  readonly ContainerStatus?: ContainerStatus | null
  readonly PortStatus?: unknown
}

export interface ContainerStatus {
  readonly ContainerID?: string
  readonly PID?: number
  readonly ExitCode?: number
}

const ended: ReadonlySet<TaskState> = new Set(['complete', 'shutdown', 'failed', 'rejected', 'remove', 'orphaned'])

/** Whether a task in this state will never run again. */
export function isTerminal(state: TaskState): boolean {
  return ended.has(state)
}
