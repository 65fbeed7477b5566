// Objects of other clients in the swarm: whatever Go leaves out or writes as null, a run plans, refuses in words, or removes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { DeployError } from '../../src/errors.ts'
import { broadStack } from '../support/broadStack.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'

type Path = readonly string[]

/** What Go always writes: structs, not pointers to them. */
const STRUCTS = new Set(['TaskTemplate', 'Status', 'Description', 'Version', 'Swarm', 'IPAM'])

/** Every path into a value, itself aside; what is in lists but for their first items looks the same. */
function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const keys = Array.isArray(value) ? Object.keys(value).slice(0, 1) : Object.keys(value)
  const inner = keys.flatMap((key) => pathsOf(Reflect.get(value, key), [...path, key]))
  return path.length === 0 ? inner : [path, ...inner]
}

/** A copy in which something else is at the path; undefined leaves it out. */
function put(value: unknown, [key = '', ...rest]: Path, what: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const inner = rest.length === 0 ? what : put(Reflect.get(value, key), rest, what)
  if (Array.isArray(value)) return value.with(Number(key), inner)
  const { [key]: _old, ...others } = value as Readonly<Record<string, unknown>>
  return inner === undefined ? others : { ...others, [key]: inner }
}

/** What Go's encoder may write in a value's place. */
function oddForms(value: unknown, path: Path): readonly unknown[] {
  const key = path.at(-1) ?? ''
  const isItem = /^\d+$/.test(key)
  if (key === 'Spec') return []
  if (Array.isArray(value)) return [undefined, null, []]
  if (typeof value === 'object') return STRUCTS.has(key) || isItem ? [{}] : [undefined, null, {}]
  const isAlwaysThere = isItem || path.length === 1
  if (typeof value === 'string') return isAlwaysThere ? [''] : [undefined, '']
  return isAlwaysThere ? [] : [undefined]
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found ? Reflect.get(found, key) : undefined),
    value,
  )
}

for (const call of ['listServices', 'listNetworks', 'listSecrets', 'listConfigs', 'listTasks', 'listNodes'] as const) {
  test(`${call}: every field odd in every way`, async () => {
    const { engine } = createMemorySwarm()
    const idle = broadStack('shop', 1)
    const services = idle.services.map((service) => ({
      ...service,
      spec: { ...service.spec, Mode: { Replicated: { Replicas: 1 } } },
    }))
    const options = { rotate: true, owner: 'gha/acme/shop' }
    await new Backend(engine, options).deployStack({ ...idle, services }, 'never')
    const all: readonly unknown[] = await engine[call]()
    let tried = 0
    for (const index of new Set([0, all.length - 2, all.length - 1].filter((one) => one >= 0))) {
      const sample = all[index]
      for (const path of pathsOf(sample)) {
        for (const form of oddForms(at(sample, path), path)) {
          const odd: Engine = new Proxy(engine, {
            get: (target, property) =>
              property === call ? async () => put(all, [String(index), ...path], form) : Reflect.get(target, property),
          })
          const backend = new Backend(odd, options)
          const what = `${call} with ${path.join('.')} ${JSON.stringify(form)}`
          const works = [
            () => backend.planStack(broadStack('shop', 2), 'never'),
            () => backend.planRemoval('shop', true),
            () => backend.stackServices('shop'),
          ]
          for (const work of works) {
            await work().catch((error: unknown) => {
              assert.ok(error instanceof DeployError, `${what}: ${error instanceof Error ? error.stack : error}`)
              assert.ok(error.message && error.remedy, what)
            })
          }
          tried++
        }
      }
    }
    assert.ok(tried > 20, String(tried))
  })
}
