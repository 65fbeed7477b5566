import type { UpdateConfig as UpdateBlock } from '../compose/stack.ts'
import type { FailureAction, UpdateConfig, UpdateOrder } from '../swarm/service.ts'
import { nonEmpty, present, word } from './wire.ts'

/** `UpdateConfig` or `RollbackConfig`: absent without its block; with it one task at a time unless it says otherwise. */
export function convertUpdateConfig(block: UpdateBlock | undefined): UpdateConfig | undefined {
  if (block === undefined) return undefined
  return present({
    Parallelism: block.parallelism ?? 1,
    Delay: nonEmpty(block.delay),
    FailureAction: word<FailureAction>(block.failureAction),
    Monitor: nonEmpty(block.monitor),
    MaxFailureRatio: shortestFloat32(block.maxFailureRatio),
    // Docker sends an empty one too.
    Order: word<UpdateOrder>(block.order) ?? '',
  })
}

/** The number with the fewest digits that is the same float32: what Go prints for one, and so what we must send and compare. */
function shortestFloat32(value: number): number {
  const single = Math.fround(value)
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(single.toPrecision(digits))
    if (Math.fround(shorter) === single) return shorter
  }
  return Number(single.toPrecision(9))
}
