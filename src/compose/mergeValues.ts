// The rules by which single values of two files are merged.
import type { Integer, ServiceNetwork } from './stack.ts'

type Plain = string | boolean | Integer

/** What is empty, zero or false overrides nothing. */
export function prefer<Value extends Plain>(base: Value, override: Value): Value {
  return isZero(override) ? base : override
}

/** Likewise, but where the base has nothing, zero and false count. */
export function preferGiven<Value extends Plain>(
  base: Value | undefined,
  override: Value | undefined,
): Value | undefined {
  if (base === undefined) return override
  return override === undefined || isZero(override) ? base : override
}

export function preferList<Item>(base: readonly Item[], override: readonly Item[]): readonly Item[] {
  return override.length === 0 ? base : override
}

export function append<Item>(base: readonly Item[], override: readonly Item[]): readonly Item[] {
  return override.length === 0 ? base : [...base, ...override]
}

export function mergeMap<Value>(
  base: ReadonlyMap<string, Value>,
  override: ReadonlyMap<string, Value>,
): ReadonlyMap<string, Value> {
  return override.size === 0 ? base : new Map([...base, ...override])
}

/** An empty value, and none, override no other. */
export function mergeEnvironment(
  base: ReadonlyMap<string, string | null>,
  override: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, string | null> {
  const merged = new Map(base)
  for (const [key, value] of override) {
    const earlier = base.get(key)
    if (value || earlier === undefined || earlier === null || earlier === '') merged.set(key, value)
  }
  return merged
}

export function mergeBlock<Block>(
  base: Block | undefined,
  override: Block | undefined,
  merge: (base: Block, override: Block) => Block,
): Block | undefined {
  return base === undefined || override === undefined ? (override ?? base) : merge(base, override)
}

/** Aliases are replaced by those of the later file, where it has some; options are merged by name. */
export function mergeNetworks(
  base: ReadonlyMap<string, ServiceNetwork> | undefined,
  override: ReadonlyMap<string, ServiceNetwork> | undefined,
): ReadonlyMap<string, ServiceNetwork> | undefined {
  return mergeBlock(base, override, (one, other) => {
    const merged = new Map(one)
    for (const [name, network] of other) {
      const earlier = one.get(name)
      if (!earlier || !network) merged.set(name, network ?? earlier ?? null)
      else {
        const aliases = preferList(earlier.aliases, network.aliases)
        merged.set(name, { aliases, driverOpts: mergeMap(earlier.driverOpts, network.driverOpts) })
      }
    }
    return merged
  })
}

/** Items of the later file replace the earlier ones with the same key; the result is sorted by `order`. */
export function mergeKeyed<Item>(
  base: readonly Item[],
  override: readonly Item[],
  key: (item: Item) => string,
  order: (left: Item, right: Item) => number,
): readonly Item[] {
  if (base.length === 0) return override
  const replaced = new Set(override.map(key))
  return [...base.filter((item) => !replaced.has(key(item))), ...override].sort(order)
}

export function byText(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

function isZero(value: Plain): boolean {
  return value === '' || value === false || value === 0 || value === 0n
}
