import type { Placement as PlacementBlock } from '../compose/stack.ts'
import type { Placement } from '../swarm/service.ts'
import { nonEmpty, present } from './wire.ts'

/** `TaskTemplate.Placement`: always sent; constraints word for word. */
export function convertPlacement({ constraints, preferences, maxReplicasPerNode }: PlacementBlock): Placement {
  return present({
    Constraints: nonEmpty(constraints),
    Preferences: nonEmpty(preferences.map((descriptor) => ({ Spread: { SpreadDescriptor: descriptor } }))),
    MaxReplicas: nonEmpty(maxReplicasPerNode),
  })
}
