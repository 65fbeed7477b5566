import type { RestartPolicyCondition, Service, ServiceSpec } from '../swarm/service.ts'

export type Mode = 'replicated' | 'global' | 'replicated job' | 'global job'

/** How a service's tasks are counted. */
export function modeOf(spec: ServiceSpec): Mode {
  const mode = spec.Mode ?? {}
  if (mode.GlobalJob) return 'global job'
  if (mode.ReplicatedJob) return 'replicated job'
  return mode.Global ? 'global' : 'replicated'
}

/** Swarm's own job modes: their tasks are meant to end. */
export function isNativeJob(mode: Mode): boolean {
  return mode === 'replicated job' || mode === 'global job'
}

/** Whether tasks have a slot number instead of a node of their own. */
export function hasSlots(mode: Mode): boolean {
  return mode === 'replicated' || mode === 'replicated job'
}

/** Whether a task that ends with exit code 0 has done what was wanted: jobs, and services that Swarm does not restart then. */
export function mayComplete(spec: ServiceSpec): boolean {
  const condition = restartCondition(spec)
  return isNativeJob(modeOf(spec)) || condition === 'none' || condition === 'on-failure'
}

/** `none`, `on-failure` or `any`, the default. */
export function restartCondition(spec: ServiceSpec): RestartPolicyCondition {
  return spec.TaskTemplate.RestartPolicy?.Condition ?? 'any'
}

/** How often Swarm restarts a task of one slot or node: 0 is never, undefined without end. */
export function restartLimit(spec: ServiceSpec): number | undefined {
  if (restartCondition(spec) === 'none') return 0
  const attempts = Number(spec.TaskTemplate.RestartPolicy?.MaxAttempts ?? 0)
  return attempts > 0 ? attempts : undefined
}

/** How many tasks a service with slots wants; undefined for the modes that want one a node. */
export function wantedReplicas(service: Service): number | undefined {
  const mode = service.Spec.Mode ?? {}
  switch (modeOf(service.Spec)) {
    case 'replicated':
      return Number(mode.Replicated?.Replicas ?? 1)
    case 'replicated job':
      return Number(mode.ReplicatedJob?.TotalCompletions ?? mode.ReplicatedJob?.MaxConcurrent ?? 1)
    default:
      return undefined
  }
}
