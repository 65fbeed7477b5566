// Of a container only what says why it ended. Source: moby api/types/container (ContainerJSON, State, Health).
import type { Timestamp } from './common.ts'

export interface Container {
  readonly Id: string
  readonly State: ContainerState
}

export interface ContainerState {
  /** The kernel killed it for want of memory. */
  readonly OOMKilled?: boolean
  readonly ExitCode?: number
  /** Absent without a health check. */
  readonly Health?: Health | null
}

export interface Health {
  readonly Status?: 'none' | 'starting' | 'healthy' | 'unhealthy'
  /** Failures in a row, as far as they count. */
  readonly FailingStreak?: number
  /** The last five runs, oldest first. */
  readonly Log?: readonly HealthResult[] | null
}

export interface HealthResult {
  readonly Start: Timestamp
  readonly End?: Timestamp
  /** 0 is healthy; -1 is a check that ran out of time or could not run. */
  readonly ExitCode: number
  /** What it wrote, at most 4 KiB: untrusted. */
  readonly Output?: string
}
