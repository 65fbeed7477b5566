// The `deploy` block of a service.
import { duration, integer, list, listOrMapping, mapping, number, orNull, type Rule, since, string } from './rule.ts'

const order: Rule = { types: ['string'], choices: ['start-first', 'stop-first'] }

const updateKeys = {
  parallelism: integer,
  delay: duration,
  failure_action: string,
  monitor: duration,
  max_failure_ratio: number,
}

const discreteResource = mapping({ kind: string, value: number })

export const deployRules: Rule = orNull(
  mapping({
    mode: string,
    endpoint_mode: since(2, string),
    replicas: integer,
    labels: listOrMapping,
    update_config: mapping({ ...updateKeys, order: since(4, order) }),
    rollback_config: since(7, mapping({ ...updateKeys, order })),
    resources: mapping({
      limits: mapping({ cpus: string, memory: string, pids: since(9, integer) }),
      reservations: mapping({
        cpus: string,
        memory: string,
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
