// The id of a plan: the same for the same writes, another one for others.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { differingKinds, planIdOf } from '../../src/backend/planId.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { registryAuth } from '../../src/registry/registryAuth.ts'
import { everyField } from '../support/everyField.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import {
  aFileObject,
  aNetworkObject,
  aServiceObject,
  aStackSpec,
  base64,
  secretReference,
} from '../support/stackSpecs.ts'

const namespace = 'shop'

function aStack({ secret = 'hunter2', config = 'on', env = 'A=1', network = {} } = {}): StackSpec {
  return aStackSpec(namespace, {
    networks: [aNetworkObject(namespace, 'front', network)],
    secrets: [aFileObject(namespace, 'key', secret)],
    configs: [aFileObject(namespace, 'conf', config)],
    services: [
      aServiceObject(namespace, 'web', {
        container: { Env: [env], Secrets: [secretReference(namespace, 'key')] },
        template: { Networks: [{ Target: `${namespace}_front` }] },
      }),
    ],
  })
}

const backendOf = (swarm: MemorySwarm): Backend => new Backend(swarm.engine, { rotate: true, owner: 'gha/acme/shop' })

async function idOf(swarm: MemorySwarm, spec: StackSpec, cluster = 'c1'): Promise<string> {
  return planIdOf(await backendOf(swarm).planStack(spec, 'never'), [], cluster)
}

test('two runs of the same have the same id, on an empty swarm and on a deployed one', async () => {
  const swarm = createMemorySwarm()
  assert.equal(await idOf(swarm, aStack()), await idOf(swarm, aStack()))
  await backendOf(swarm).deployStack(aStack(), 'never')
  const changed = aStack({ secret: 'another', env: 'A=2' })
  assert.equal(await idOf(swarm, changed), await idOf(swarm, changed))
  assert.equal(await idOf(swarm, everyField(namespace)), await idOf(swarm, everyField(namespace)))
})

test('a secret that somebody else made is rotated to a random name, which does not count', async () => {
  const swarm = createMemorySwarm()
  await swarm.engine.createSecret({
    Name: 'shop_key',
    Labels: { 'com.docker.stack.namespace': namespace },
    Data: base64('theirs'),
  })
  const plans = await Promise.all([1, 2].map(() => backendOf(swarm).planStack(aStack(), 'never')))
  const [one, other] = plans.map(({ plan }) => plan.secrets.map(({ name }) => name).join())
  assert.notEqual(one, other)
  const ids = await Promise.all(plans.map((planned) => planIdOf(planned, [], 'c1')))
  assert.equal(ids[0], ids[1])
  assert.notEqual(ids[0], await idOf(swarm, aStack({ secret: 'yet another' })))
})

describe('what is written differs, and so does its group', () => {
  const cases: readonly (readonly [what: string, spec: StackSpec, kinds: string])[] = [
    ['a variable', aStack({ env: 'A=2' }), 'services'],
    ['the content of a secret', aStack({ secret: 'hunter3' }), 'secrets'],
    ['the content of a config', aStack({ config: 'off' }), 'configs'],
    ['a network', aStack({ network: { Attachable: true } }), 'networks'],
    ['several', aStack({ secret: 'hunter3', config: 'off', env: 'A=2' }), 'secrets, configs and services'],
  ]
  for (const [what, spec, kinds] of cases) {
    test(what, async () => {
      const swarm = createMemorySwarm()
      const [before, after] = [await idOf(swarm, aStack()), await idOf(swarm, spec)]
      assert.equal(differingKinds(before, after), kinds)
    })
  }

  test('what is removed', async () => {
    const swarm = createMemorySwarm()
    const planned = await backendOf(swarm).planStack(aStack(), 'never')
    const left = (isRemoved: boolean) => [{ kind: 'service', name: 'shop_old', isRemoved, note: '' } as const]
    const [none, stays, goes] = await Promise.all([
      planIdOf(planned, [], 'c1'),
      planIdOf(planned, left(false), 'c1'),
      planIdOf(planned, left(true), 'c1'),
    ])
    assert.equal(none, stays)
    assert.equal(differingKinds(none, goes), 'services')
  })

  test('a login that is to be written, but not which', async () => {
    const swarm = createMemorySwarm()
    const spec = aStackSpec(namespace, {
      services: [aServiceObject(namespace, 'web', { image: 'registry.test/web:1' })],
    })
    const withPassword = (password: string) =>
      backendOf(swarm).withRegistryAuth(registryAuth(new Map([['registry.test', { username: 'me', password }]])))
    await withPassword('one').deployStack(spec, 'never')
    const idWith = async (password: string) => planIdOf(await withPassword(password).planStack(spec, 'never'), [], 'c1')
    assert.equal(await idWith('two'), await idWith('three'))
    assert.equal(differingKinds(await idWith('one'), await idWith('two')), 'services')
  })
})

test('what swarm it is counts, so that nobody who does not know its id can try out a secret', async () => {
  const swarm = createMemorySwarm()
  const [one, other] = [await idOf(swarm, aStack(), 'c1'), await idOf(swarm, aStack(), 'c2')]
  assert.equal(differingKinds(one, other), 'networks, secrets, configs and services')
})

test('an id of another form names no kinds', () => {
  assert.equal(differingKinds('latest', '00000000-00000000-00000000-00000000'), undefined)
})
