// The `deploy` block of a service.
import { integerAt, itemsAt, mapAt, numberAt, stringsAt, textAt, valueAt } from './fields.ts'
import { durationAt } from './healthcheck.ts'
import { textMap } from './keyValues.ts'
import type { MapNode } from './node.ts'
import type { Reading } from './reading.ts'
import { readResources } from './resources.ts'
import type { Deploy, Placement, RestartPolicy, UpdateConfig } from './stack.ts'

const uint64 = [0n, 2n ** 64n - 1n] as const

export function readDeploy(reading: Reading, service: MapNode): Deploy {
  const map = mapAt(service, 'deploy')
  return {
    mode: textAt(map, 'mode'),
    replicas: integerAt(map, 'replicas', reading.findings, uint64),
    labels: textMap(valueAt(map, 'labels')),
    updateConfig: readUpdate(reading, mapAt(map, 'update_config')),
    rollbackConfig: readUpdate(reading, mapAt(map, 'rollback_config')),
    resources: readResources(reading, mapAt(map, 'resources')),
    restartPolicy: readRestartPolicy(reading, mapAt(map, 'restart_policy')),
    placement: readPlacement(reading, mapAt(map, 'placement')),
    endpointMode: textAt(map, 'endpoint_mode'),
  }
}

function readUpdate({ findings }: Reading, map: MapNode | undefined): UpdateConfig | undefined {
  if (map === undefined) return undefined
  return {
    parallelism: integerAt(map, 'parallelism', findings, uint64),
    delay: durationAt(map, 'delay') ?? 0,
    failureAction: textAt(map, 'failure_action'),
    monitor: durationAt(map, 'monitor') ?? 0,
    maxFailureRatio: numberAt(map, 'max_failure_ratio'),
    order: textAt(map, 'order'),
  }
}

function readRestartPolicy({ findings }: Reading, map: MapNode | undefined): RestartPolicy | undefined {
  if (map === undefined) return undefined
  return {
    condition: textAt(map, 'condition'),
    delay: durationAt(map, 'delay'),
    maxAttempts: integerAt(map, 'max_attempts', findings, uint64),
    window: durationAt(map, 'window'),
  }
}

function readPlacement({ findings }: Reading, map: MapNode | undefined): Placement {
  return {
    constraints: stringsAt(map, 'constraints'),
    preferences: itemsAt(map, 'preferences').flatMap((item) => (item.kind === 'map' ? textAt(item, 'spread') : [])),
    maxReplicasPerNode: integerAt(map, 'max_replicas_per_node', findings, uint64) ?? 0,
  }
}
