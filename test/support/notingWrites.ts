import type { Engine } from '../../src/engine/engine.ts'

/** An engine that notes each write once it is done, such as `create service shop_web`; what is removed it knows by id. */
export function notingWrites(engine: Engine, writes: string[]): Engine {
  return new Proxy(engine, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property)
      const [, verb, kind = ''] = /^(create|update|remove)([A-Z]\w*)$/.exec(String(property)) ?? []
      if (verb === undefined || typeof member !== 'function') return member
      return async (...args: readonly unknown[]): Promise<unknown> => {
        const answer: unknown = await Reflect.apply(member, target, args)
        const written = args[verb === 'update' ? 2 : 0]
        const name = typeof written === 'object' && written !== null ? Reflect.get(written, 'Name') : written
        writes.push(`${verb} ${kind.toLowerCase()} ${String(name)}`)
        return answer
      }
    },
  })
}
