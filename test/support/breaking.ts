import { type Engine, EngineError } from '../../src/engine/engine.ts'

/** How the way to an engine breaks. */
export interface Break {
  /** At which write, counted from 1; a greater number than there are leaves all well. */
  readonly at: number
  /** Whether that write still reaches the engine; its answer is lost either way. */
  readonly reaches: boolean
  /** Whether the way is gone from then on, as when no connection can be made any more; otherwise only that one call is lost. */
  readonly forGood: boolean
}

/** An engine whose way breaks at one of its writes; `asked` notes what it was asked to write, calls lost on the way too. */
export function breaking(
  engine: Engine,
  { at, reaches, forGood }: Break,
): { engine: Engine; asked: readonly string[] } {
  const asked: string[] = []
  let isGone = false
  const lost = (): EngineError =>
    new EngineError('connection', 0, 'Lost the engine: the connection broke', {
      cause: Object.assign(new Error('broken'), { final: forGood }),
    })
  const broken = new Proxy(engine, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property)
      if (typeof member !== 'function') return member
      return async (...args: readonly unknown[]) => {
        const send = (): Promise<unknown> => Reflect.apply(member, target, args)
        if (isGone) throw lost()
        if (!isWrite(String(property), args)) return send()
        asked.push(String(property))
        if (asked.length !== at) return send()
        isGone = forGood
        if (reaches) await send()
        throw lost()
      }
    },
  })
  return { engine: broken, asked }
}

// --- Internal helpers ---

/** An update of a secret with the version 0 only asks what is in it. */
function isWrite(call: string, args: readonly unknown[]): boolean {
  return /^(create|update|remove)/.test(call) && !(call === 'updateSecret' && args[1] === 0)
}
