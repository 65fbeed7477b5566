// The `deploy` blocks of one service in two files.
import { append, mergeBlock, mergeMap, prefer, preferGiven } from './mergeValues.ts'
import type { Deploy, Service, UpdateConfig } from './stack.ts'

/** `places`: the later file's, which tell that a value of zero is written there. */
export function mergeDeploy(base: Deploy, override: Deploy, places: Service['places']): Deploy {
  const cpus = (block: 'limits' | 'reservations'): boolean => `deploy.resources.${block}.cpus` in places
  return {
    mode: prefer(base.mode, override.mode),
    replicas: override.replicas ?? base.replicas,
    labels: mergeMap(base.labels, override.labels),
    updateConfig: mergeBlock(base.updateConfig, override.updateConfig, mergeUpdate),
    rollbackConfig: mergeBlock(base.rollbackConfig, override.rollbackConfig, mergeUpdate),
    resources: {
      limits: mergeBlock(base.resources.limits, override.resources.limits, (one, other) => ({
        // A text in the file, "0" is not empty there.
        nanoCpus: cpus('limits') ? other.nanoCpus : one.nanoCpus,
        memoryBytes: prefer(one.memoryBytes, other.memoryBytes),
        pids: prefer(one.pids, other.pids),
      })),
      reservations: mergeBlock(base.resources.reservations, override.resources.reservations, (one, other) => ({
        nanoCpus: cpus('reservations') ? other.nanoCpus : one.nanoCpus,
        memoryBytes: prefer(one.memoryBytes, other.memoryBytes),
        genericResources: append(one.genericResources, other.genericResources),
      })),
    },
    restartPolicy: mergeBlock(base.restartPolicy, override.restartPolicy, (one, other) => ({
      condition: prefer(one.condition, other.condition),
      delay: preferGiven(one.delay, other.delay),
      maxAttempts: other.maxAttempts ?? one.maxAttempts,
      window: preferGiven(one.window, other.window),
    })),
    placement: {
      constraints: append(base.placement.constraints, override.placement.constraints),
      preferences: append(base.placement.preferences, override.placement.preferences),
      maxReplicasPerNode: prefer(base.placement.maxReplicasPerNode, override.placement.maxReplicasPerNode),
    },
    endpointMode: prefer(base.endpointMode, override.endpointMode),
  }
}

function mergeUpdate(base: UpdateConfig, override: UpdateConfig): UpdateConfig {
  return {
    parallelism: override.parallelism ?? base.parallelism,
    delay: prefer(base.delay, override.delay),
    failureAction: prefer(base.failureAction, override.failureAction),
    monitor: prefer(base.monitor, override.monitor),
    maxFailureRatio: prefer(base.maxFailureRatio, override.maxFailureRatio),
    order: prefer(base.order, override.order),
  }
}
