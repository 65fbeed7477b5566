import { type Engine, EngineError } from '../../src/engine/engine.ts'

type Call = Exclude<keyof Engine, 'apiVersion'>

/** An engine before whose next so many calls of that kind something else happens. */
export function racing(engine: Engine, call: Call, action: () => Promise<unknown>, times = 1): Engine {
  const raced = async (send: () => Promise<unknown>): Promise<unknown> => {
    await action()
    return send()
  }
  return around(engine, call, raced, times)
}

/** An engine whose next answer to that kind of call gets lost, although the call itself got through. */
export function losingAnswer(engine: Engine, call: Call): Engine {
  return around(engine, call, async (send) => {
    await send()
    throw new EngineError('connection', 0, 'Lost the engine: the connection broke')
  })
}

/** An engine that never gets the next call of that kind. */
export function losingCall(engine: Engine, call: Call): Engine {
  return around(engine, call, async () => {
    throw new EngineError('connection', 0, 'Lost the engine: the connection broke')
  })
}

/** An engine that says no to every call of that kind; with `afterwards`, having done what it was asked. */
export function refusing(engine: Engine, call: Call, message: string, afterwards = false): Engine {
  return around(
    engine,
    call,
    async (send) => {
      if (afterwards) await send()
      throw new EngineError('refused', 500, message)
    },
    Number.POSITIVE_INFINITY,
  )
}

/** An engine that answers its next so many calls of that kind with something else. */
export function answering(engine: Engine, call: Call, answer: unknown, times: number): Engine {
  return around(engine, call, async () => answer, times)
}

/** An engine with something else in the place of its next so many calls of that kind; `send` is the call as it was meant. */
export function around(
  engine: Engine,
  call: Call,
  instead: (send: () => Promise<unknown>) => Promise<unknown>,
  times = 1,
): Engine {
  let due = times
  return new Proxy(engine, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property)
      if (property !== call || typeof member !== 'function') return member
      return (...args: readonly unknown[]) => {
        const send = (): Promise<unknown> => Reflect.apply(member, target, args)
        return due-- > 0 ? instead(send) : send()
      }
    },
  })
}
