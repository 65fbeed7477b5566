import type { ServiceOrder, StackSpec } from '../convert/stackSpec.ts'
import type { ServiceStep } from './planServices.ts'

/** Services that are written at once, and what has to be so before. */
export interface Turn {
  readonly steps: readonly ServiceStep[]
  /** Keys of services that must have converged before these are written; empty where nothing is waited for. */
  readonly awaits: ReadonlySet<string>
}

const UNORDERED: ServiceOrder = { wave: 0, isSequential: false, after: [] }

/**
 * Divides a plan's services into turns: wave by wave, in each what is depended on first, and a sequential service by itself once the
 * others of its wave are written. Awaited is what this run wrote before, all of lower waves, and what is depended on, written or not.
 * Services that are created need not be sequential: the members of a cluster that is being made wait for each other.
 * One turn, which waits for nothing, where no label says otherwise, or where there is nothing left to be written after it.
 */
export function turnsOf({ services }: Pick<StackSpec, 'services'>, steps: readonly ServiceStep[]): readonly Turn[] {
  const planned = new Set(steps.map(({ key }) => key))
  const orders = new Map(services.map(({ key, order }) => [key, order ?? UNORDERED]))
  const orderOf = (key: string): ServiceOrder => orders.get(key) ?? UNORDERED
  const idle = steps.filter(({ action }) => action === 'none')
  const turns: Turn[] = []
  const written: string[] = []
  let open = steps.filter(({ action }) => action !== 'none')
  while (open.length > 0) {
    const wave = Math.min(...open.map(({ key }) => orderOf(key).wave))
    const left = new Set(open.map(({ key }) => key))
    const ready = open.filter(
      ({ key }) => orderOf(key).wave === wave && orderOf(key).after.every((other) => !left.has(other)),
    )
    const together = ready.filter(({ key, action }) => action === 'create' || !orderOf(key).isSequential)
    const next = together.length > 0 ? together : ready.slice(0, 1)
    const lower = [...planned].filter((key) => orderOf(key).wave < wave)
    const needed = next.flatMap(({ key }) => orderOf(key).after).filter((key) => planned.has(key))
    turns.push({ steps: next, awaits: new Set([...written, ...lower, ...needed]) })
    written.push(...next.map(({ key }) => key))
    open = open.filter((step) => !next.includes(step))
  }
  return withIdle(turns, idle, steps)
}

// --- Internal helpers ---

/** What is left alone goes with the first turn, or before it where that waits. */
function withIdle(
  turns: readonly Turn[],
  idle: readonly ServiceStep[],
  steps: readonly ServiceStep[],
): readonly Turn[] {
  const [first, ...others] = turns
  if (first === undefined || first.awaits.size > 0) return [{ steps: idle, awaits: new Set() }, ...turns]
  const now = new Set([...idle, ...first.steps])
  return [{ steps: steps.filter((step) => now.has(step)), awaits: new Set() }, ...others]
}
