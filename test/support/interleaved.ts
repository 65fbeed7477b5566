import type { Engine } from '../../src/engine/engine.ts'

/**
 * Puts the calls of several runs, and the answers to them, into an order that the seed alone decides. What it makes of an engine is for
 * one run; all of them share the order.
 */
export function interleaving(seed: number): (engine: Engine) => Engine {
  const random = mulberry32(seed)
  const waiting: (() => void)[] = []
  let isBusy = false
  const serve = async (): Promise<void> => {
    isBusy = true
    while (waiting.length > 0) {
      // Whoever can run does, until all wait.
      await new Promise((resolve) => setImmediate(resolve))
      const [next] = waiting.splice(Math.floor(random() * waiting.length), 1)
      next?.()
    }
    isBusy = false
  }
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (!isBusy) void serve()
    })
  return (engine) =>
    new Proxy(engine, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property)
        if (typeof member !== 'function') return member
        return async (...args: readonly unknown[]) => {
          await turn()
          try {
            return await Reflect.apply(member, target, args)
          } finally {
            await turn()
          }
        }
      },
    })
}

// --- Internal helpers ---

/** A well-known small generator: the same numbers from the same seed, everywhere. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
