// Tasks and their states. Source: moby api/types/swarm/task.go.
import type { VolumeAttachment } from './clusterVolume.ts'
import type { Annotations, Meta, Timestamp, Version } from './common.ts'
import type { PortConfig } from './network.ts'
import type { NetworkAttachment } from './networkAttachment.ts'
import type { GenericResource, TaskSpec } from './service.ts'

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

export interface Task extends Meta, Annotations {
  readonly ID: string
  readonly Spec: TaskSpec
  readonly ServiceID: string
  /** From 1 for replicated services; absent or 0 for global ones. */
  readonly Slot?: number
  /** Empty until the scheduler has chosen. */
  readonly NodeID?: string
  readonly Status: TaskStatus
  readonly DesiredState: TaskState
  /** Only of jobs: the iteration of its service that it belongs to. */
  readonly JobIteration?: Partial<Version> | null
  readonly NetworksAttachments?: readonly NetworkAttachment[] | null
  /** What of the node's generic resources the task was given. */
  readonly GenericResources?: readonly GenericResource[] | null
  /** API 1.42. */
  readonly Volumes?: readonly VolumeAttachment[] | null
}

export interface TaskStatus {
  /** When the task entered `State`. */
  readonly Timestamp: Timestamp
  readonly State: TaskState
  readonly Message?: string
  /** Swarm's own words, whole. */
  readonly Err?: string
  readonly ContainerStatus?: ContainerStatus | null
  readonly PortStatus?: PortStatus
}

/** Ports published in host mode. */
export interface PortStatus {
  readonly Ports?: readonly PortConfig[] | null
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
