// What the Backend promises of undoing a deployment; a part of backendContract.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import type { TouchedService } from '../../src/backend/restoreService.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Service, ServiceSpec } from '../../src/swarm/service.ts'
import { breaking } from './breaking.ts'
import { heardBackend } from './heardBackend.ts'
import { racing, refusing } from './racing.ts'
import { aServiceObject, aStackSpec } from './stackSpecs.ts'

/** @param fresh a stack name that no other test uses; the stack is removed after the test */
export function restoreContract(engine: Engine, fresh: () => string): void {
  const idle = { Mode: { Replicated: { Replicas: 0 } } }
  /** `same` is in both versions alike, `new` only in the second. */
  const stack = (namespace: string, version: number) =>
    aStackSpec(namespace, {
      services: [
        aServiceObject(namespace, 'api', { image: `tb/ok:${version}`, spec: idle }),
        ...(version > 1 ? [aServiceObject(namespace, 'new', { spec: idle })] : []),
        aServiceObject(namespace, 'same', { spec: idle }),
        aServiceObject(namespace, 'web', { container: { Env: [`VERSION=${version}`] }, spec: idle }),
      ],
    })
  const specs = async (namespace: string): Promise<ReadonlyMap<string, ServiceSpec>> => {
    const services = await engine.listServices({ name: [`${namespace}_`] })
    return new Map(services.map(({ Spec }) => [Spec.Name ?? '', Spec]))
  }
  const live = async (name: string): Promise<Service> => {
    const found = (await engine.listServices({ name: [name] })).find(({ Spec }) => Spec.Name === name)
    return found ?? assert.fail(`there is no service ${name}`)
  }
  /** Deploys the first version and then the second: what that touched, and the state before it. */
  const deployed = async (namespace: string) => {
    const backend = new Backend(engine)
    await backend.deployStack(stack(namespace, 1), 'never')
    const before = await specs(namespace)
    const { plan, observation } = await backend.planStack(stack(namespace, 2), 'never')
    const application = await backend.beginStack({ plan, observation })
    await application.services(plan.services)
    const touched: readonly TouchedService[] = application.touched()
    return { before, touched, observation }
  }
  const restoring = (on: Engine = engine) => {
    const { backend, log, journal } = heardBackend(on)
    const told: string[] = []
    const restore = async ({ touched, observation }: Awaited<ReturnType<typeof deployed>>) => {
      const kinds = await backend.restoreServices(touched, observation, ({ service }) => told.push(service.key))
      return Object.fromEntries(kinds.map(({ service, restored }) => [service.key, restored.kind]))
    }
    return { restore, log, told, journal }
  }
  const all = { api: 'put-back', new: 'removed', web: 'put-back' }

  test('what a deployment did to services is undone: specs from before, and nothing new', async () => {
    const namespace = fresh()
    const deployment = await deployed(namespace)
    assert.deepEqual(deployment.touched.map(({ key }) => key).sort(), ['api', 'new', 'web'])
    const { restore, log, told } = restoring()
    assert.deepEqual(await restore(deployment), all)
    assert.deepEqual(await specs(namespace), deployment.before)
    assert.deepEqual(told.sort(), ['api', 'new', 'web'])
    assert.equal(log.length, 3)
    // Once more, there is nothing to undo.
    const again = restoring()
    assert.deepEqual(await again.restore(deployment), { api: 'as-before', new: 'as-before', web: 'as-before' })
    assert.equal(again.journal.wroteAnything, false)
    assert.deepEqual((await new Backend(engine).deployStack(stack(namespace, 1), 'never')).changes, [])
  })

  test('an undoing that loses any of its calls, or the answer, ends alike', async () => {
    for (const at of [1, 2, 3]) {
      for (const reaches of [false, true]) {
        const namespace = fresh()
        const deployment = await deployed(namespace)
        const { restore } = restoring(breaking(engine, { at, reaches, forGood: false }).engine)
        assert.deepEqual(await restore(deployment), all, `${at} ${reaches}`)
        assert.deepEqual(await specs(namespace), deployment.before, `${at} ${reaches}`)
      }
    }
  })

  test('what someone else changed or removed since is left alone, even in the last moment', async () => {
    const namespace = fresh()
    const deployment = await deployed(namespace)
    const change = async (key: string): Promise<void> => {
      const { ID, Version, Spec } = await live(`${namespace}_${key}`)
      await engine.updateService(ID, Version.Index, { ...Spec, Labels: { ...Spec.Labels, mine: 'x' } })
    }
    await change('new')
    await engine.removeService((await live(`${namespace}_api`)).ID)
    const { restore } = restoring(racing(engine, 'updateService', () => change('web')))
    assert.deepEqual(await restore(deployment), { api: 'lost', new: 'lost', web: 'lost' })
    const after = await specs(namespace)
    assert.deepEqual(
      [...after.keys()].sort(),
      ['new', 'same', 'web'].map((key) => `${namespace}_${key}`),
    )
    assert.deepEqual(after.get(`${namespace}_web`)?.TaskTemplate.ContainerSpec?.Env, ['VERSION=2'])
  })

  test('one that the engine will not put back is told with its words, and keeps none of the others from it', async () => {
    const namespace = fresh()
    const deployment = await deployed(namespace)
    const { restore } = restoring(refusing(engine, 'removeService', 'it stays'))
    assert.deepEqual(await restore(deployment), { ...all, new: 'refused' })
    const [first, second] = [deployment.before, await specs(namespace)]
    assert.deepEqual(second.get(`${namespace}_api`), first.get(`${namespace}_api`))
    assert.deepEqual(second.get(`${namespace}_web`), first.get(`${namespace}_web`))
  })
}
