// What the Backend promises at Swarm's limits; a part of backendContract.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { WriteJournal } from '../../src/backend/journal.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { DeployError } from '../../src/errors.ts'
import { aFileObject, aNetworkObject, aServiceObject, aStackSpec } from './stackSpecs.ts'

/** @param fresh a stack name that no other test uses; the stack is removed after the test */
export function limitsContract(engine: Engine, fresh: () => string): void {
  const idle = { Mode: { Replicated: { Replicas: 0 } } }
  const backend = (journal = new WriteJournal()) =>
    new Backend(engine, { journal, rotate: true, owner: 'gha/acme/shop' })
  /** Deploys twice: the second time nothing is left to do. */
  const settles = async (spec: StackSpec): Promise<void> => {
    await backend().deployStack(spec, 'never')
    assert.deepEqual((await backend().deployStack(spec, 'never')).changes, [])
  }

  test('names as long as Swarm takes them', async () => {
    const namespace = fresh()
    const key = (longest: number): string => 'x'.repeat(longest - namespace.length - 1)
    await settles(
      aStackSpec(namespace, {
        networks: [aNetworkObject(namespace, key(63))],
        secrets: [aFileObject(namespace, key(64), 's3cret')],
        configs: [aFileObject(namespace, key(64), 'hello')],
        services: [
          aServiceObject(namespace, key(63), {
            template: { Networks: [{ Target: `${namespace}_${key(63)}` }] },
            spec: idle,
          }),
        ],
      }),
    )
  })

  test('every letter, in labels, environment and contents; large labels', async () => {
    const namespace = fresh()
    const odd = 'ü€😀 \u2028\ufeff\t"\\\u0007<&>'
    const labels = { [odd]: odd, empty: '', large: 'v'.repeat(100_000) }
    await settles(
      aStackSpec(namespace, {
        secrets: [aFileObject(namespace, 'key', `${odd}\0`, labels)],
        configs: [aFileObject(namespace, 'conf', `${odd}\0`, labels)],
        services: [
          aServiceObject(namespace, 'web', {
            container: { Env: [`A=${odd}`, `${odd}=A=B`, 'EMPTY=', 'NONE'], Labels: labels },
            spec: { ...idle, Labels: labels },
          }),
        ],
      }),
    )
    const config = await backend().inspectConfig(`${namespace}_conf`)
    assert.equal(Buffer.from(config).toString(), `${odd}\0`)
  })

  test('300 services at once, and again, and gone', async () => {
    const namespace = fresh()
    const keys = Array.from({ length: 300 }, (_, index) => `s${index}`)
    const spec = aStackSpec(namespace, { services: keys.map((key) => aServiceObject(namespace, key, { spec: idle })) })
    await settles(spec)
    assert.equal((await backend().stackServices(namespace)).length, 300)
    await backend().removeStack(namespace)
    assert.deepEqual(await backend().stackServices(namespace), [])
  })

  test('what only the engine knows to be too large is told with its words, and with what is written', async () => {
    const namespace = fresh()
    const journal = new WriteJournal()
    const spec = aStackSpec(namespace, {
      networks: [aNetworkObject(namespace, 'front')],
      configs: [aFileObject(namespace, 'conf', 'x'.repeat(1000 * 1024))],
      services: [aServiceObject(namespace, 'web', { spec: idle })],
    })
    await assert.rejects(backend(journal).deployStack(spec, 'never'), (error) => {
      assert.ok(error instanceof DeployError)
      assert.match(error.message, /config data must be larger than 0 and less than 1024000 bytes/)
      assert.deepEqual([error.code, error.position?.line], ['engine', 40])
      return true
    })
    assert.deepEqual(journal.report(), {
      applied: [`network ${namespace}_front`],
      notApplied: [`config ${namespace}_conf`, `service ${namespace}_web`],
      unknown: [],
    })
  })
}
