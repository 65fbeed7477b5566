import type { Deploy } from '../compose/stack.ts'
import type { ResourceRequirements } from '../swarm/service.ts'
import { nonEmpty, present } from './wire.ts'

/** `TaskTemplate.Resources`: always sent, `{}` at least; each half where its block is, even an empty one. */
export function convertResources({ limits, reservations }: Deploy['resources']): ResourceRequirements {
  return present({
    Limits:
      limits &&
      present({
        NanoCPUs: nonEmpty(limits.nanoCpus),
        MemoryBytes: nonEmpty(limits.memoryBytes),
        Pids: nonEmpty(limits.pids),
      }),
    Reservations:
      reservations &&
      present({
        NanoCPUs: nonEmpty(reservations.nanoCpus),
        MemoryBytes: nonEmpty(reservations.memoryBytes),
        GenericResources: nonEmpty(
          reservations.genericResources.map((resource) =>
            resource === undefined
              ? {}
              : {
                  DiscreteResourceSpec: present({ Kind: nonEmpty(resource.kind), Value: nonEmpty(resource.value) }),
                },
          ),
        ),
      }),
  })
}
