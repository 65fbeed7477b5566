// A prune and a deployment of the same stack at once: what the deployment goes back to may just be going.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { keptOf } from '../../src/backend/kept.ts'
import { DeployError } from '../../src/errors.ts'
import { broadStack } from '../support/broadStack.ts'
import { interleaving } from '../support/interleaved.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1)

test(`a prune and a deployment that goes back to what is pruned: ${SEEDS.length} orders`, async () => {
  const ends = new Set<string>()
  for (const number of SEEDS) {
    const seed = `seed ${number}`
    const { engine } = createMemorySwarm()
    const options = { rotate: true, owner: 'gha/acme/shop' }
    const deploy = (on: typeof engine, version: number) =>
      new Backend(on, options).deployStack(broadStack('shop', version), 'never')
    await deploy(engine, 1)
    await deploy(engine, 2)
    const last = await deploy(engine, 3)
    const kept = keptOf(broadStack('shop', 3), last.objects, Number.POSITIVE_INFINITY)
    const take = interleaving(number)
    const [pruned, back] = await Promise.allSettled([
      new Backend(take(engine), options).prune(kept),
      deploy(take(engine), 1),
    ])
    assert.equal(pruned.status, 'fulfilled', `${seed}: ${pruned.status === 'rejected' ? pruned.reason : ''}`)
    ends.add(back.status)
    if (back.status === 'rejected') {
      assert.ok(back.reason instanceof DeployError, `${seed}: ${back.reason}`)
      assert.ok(['conflict', 'engine'].includes(back.reason.code), `${seed}: ${back.reason.message}`)
      assert.match(back.reason.message, /not found|by someone else/, seed)
    }
    const ids = new Set([...(await engine.listSecrets()), ...(await engine.listConfigs())].map(({ ID }) => ID))
    for (const { Spec } of await engine.listServices()) {
      const { Secrets, Configs } = Spec.TaskTemplate.ContainerSpec ?? {}
      for (const { SecretID } of Secrets ?? []) assert.ok(ids.has(SecretID), `${seed}: ${Spec.Name} lost a secret`)
      for (const { ConfigID } of Configs ?? []) assert.ok(ids.has(ConfigID), `${seed}: ${Spec.Name} lost a config`)
    }
    await deploy(engine, 1)
    assert.deepEqual((await deploy(engine, 1)).changes, [], seed)
  }
  assert.deepEqual(ends, new Set(['fulfilled', 'rejected']))
})
