// The `deploy` block of a service.
import {
  duration,
  integer,
  list,
  listOrMapping,
  mapping,
  number,
  orNull,
  type Rule,
  since,
  string,
  stringOrInteger,
  stringOrNumber,
} from './rule.ts'

const order: Rule = { types: ['string'], choices: ['start-first', 'stop-first'] }

const updateKeys = {
  parallelism: integer,
  delay: duration,
  failure_action: string,
  monitor: duration,
  max_failure_ratio: number,
}

const discreteResource = mapping({ kind: string, value: number })

/** Of the Compose Specification, also under `gpus`. */
export const device: Rule = mapping({
  capabilities: list(string),
  driver: string,
  count: stringOrInteger,
  device_ids: list(string),
  options: listOrMapping,
})

export const deployRules: Rule = orNull(
  mapping({
    mode: string,
    endpoint_mode: since(2, string),
    replicas: integer,
    labels: listOrMapping,
    update_config: mapping({ ...updateKeys, order: since(4, order) }),
    rollback_config: since(7, mapping({ ...updateKeys, order })),
    resources: mapping({
      limits: mapping({ cpus: stringOrNumber, memory: string, pids: since(9, stringOrInteger) }),
      reservations: mapping({
        cpus: stringOrNumber,
        memory: string,
        devices: list(device),
        generic_resources: since(5, list(mapping({ discrete_resource_spec: discreteResource }))),
      }),
    }),
    restart_policy: mapping({ condition: string, delay: duration, max_attempts: integer, window: duration }),
    placement: mapping({
      constraints: list(string),
      preferences: since(3, list(mapping({ spread: string }))),
      max_replicas_per_node: since(8, integer),
    }),
  }),
)
