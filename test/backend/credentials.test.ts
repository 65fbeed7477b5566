// When a registry's login is written, and what the service says of it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { parseRegistryAuth } from '../../src/registry/parseRegistryAuth.ts'
import { CREDENTIALS_LABEL } from '../../src/swarm/names.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import { aServiceObject, aStackSpec, type ServiceParts } from '../support/stackSpecs.ts'

const image = 'ghcr.io/acme/shop:1'
const restart = (Condition: 'none' | 'on-failure'): ServiceParts => ({ template: { RestartPolicy: { Condition } } })

async function deploy(swarm: MemorySwarm, login: string, parts: ServiceParts = {}) {
  const lines: string[] = []
  const { auth } = parseRegistryAuth(login, () => undefined)
  const backend = new Backend(swarm.engine, { log: (line) => lines.push(line) }).withRegistryAuth(auth)
  const services = [aServiceObject('shop', 'web', { image, ...parts })]
  swarm.auths.length = 0
  const { changes } = await backend.deployStack(aStackSpec('shop', { services }), 'never')
  return { changes: changes.map(({ action, fields }) => `${action} ${fields.join()}`), lines, auths: [...swarm.auths] }
}

const labelOf = (swarm: MemorySwarm) => swarm.service('shop_web').Spec.Labels?.[CREDENTIALS_LABEL]

describe('the credentials of a service', () => {
  test('leave a salted digest that another run recognises, and the same again changes nothing', async () => {
    const [swarm, other] = [createMemorySwarm(), createMemorySwarm()]
    await deploy(swarm, 'ghcr.io octocat token')
    await deploy(other, 'ghcr.io octocat token')
    assert.match(labelOf(swarm) ?? '', /^[0-9a-f]{32}:[0-9a-f]{64}$/)
    assert.notEqual(labelOf(swarm), labelOf(other))
    const before = labelOf(swarm)
    assert.deepEqual((await deploy(swarm, 'ghcr.io octocat token')).changes, [])
    assert.equal(labelOf(swarm), before)
  })

  test('are written when they changed, and nothing is said of digests', async () => {
    const swarm = createMemorySwarm()
    await deploy(swarm, 'ghcr.io octocat token')
    const before = labelOf(swarm)
    const { changes, lines, auths } = await deploy(swarm, 'ghcr.io octocat another')
    assert.deepEqual(changes, ['credentials credentials'])
    assert.deepEqual(lines, ['Sending the credentials for service shop_web'])
    const header = parseRegistryAuth('ghcr.io octocat another', () => undefined).auth.headerFor(image)
    assert.deepEqual(auths, [header])
    assert.notEqual(labelOf(swarm), before)
    assert.deepEqual((await deploy(swarm, 'ghcr.io octocat another')).changes, [])
  })

  test('are written to a service that says nothing of any, or nonsense', async () => {
    const swarm = createMemorySwarm()
    await deploy(swarm, 'none')
    assert.equal(labelOf(swarm), undefined)
    assert.deepEqual((await deploy(swarm, 'ghcr.io octocat token')).changes, ['credentials credentials'])
    for (const nonsense of ['', 'x', `:${'0'.repeat(64)}`, `zz:${'0'.repeat(64)}`]) {
      swarm.tamper('shop_web', (spec) => ({ ...spec, Labels: { ...spec.Labels, [CREDENTIALS_LABEL]: nonsense } }))
      assert.deepEqual((await deploy(swarm, 'ghcr.io octocat token')).changes, ['credentials credentials'], nonsense)
    }
  })

  test('stay where none are given for its image', async () => {
    const swarm = createMemorySwarm()
    await deploy(swarm, 'ghcr.io octocat token')
    const before = labelOf(swarm)
    for (const login of ['none', 'quay.io octocat token']) {
      assert.deepEqual((await deploy(swarm, login)).changes, [], login)
      const updated = await deploy(swarm, login, { container: { Args: [login] } })
      assert.deepEqual([updated.changes, updated.auths], [['update args'], ['']])
      assert.equal(labelOf(swarm), before)
      await deploy(swarm, login)
    }
  })

  test('come along with an update, which names them last', async () => {
    const swarm = createMemorySwarm()
    await deploy(swarm, 'ghcr.io octocat token')
    const { changes } = await deploy(swarm, 'ghcr.io octocat another', { container: { Args: ['x'], User: 'me' } })
    assert.deepEqual(changes, ['update args,user,credentials'])
    assert.deepEqual(
      (await deploy(swarm, 'ghcr.io octocat another', { container: { Args: ['x'], User: 'me' } })).changes,
      [],
    )
  })

  for (const [what, parts] of [
    ['a one-shot that has completed', restart('none')],
    ['a service whose tasks have completed', restart('on-failure')],
    ['a job', { spec: { Mode: { ReplicatedJob: {} } } }],
  ] as const) {
    test(`of ${what} are no reason to write it, as it would run again`, async () => {
      const swarm = createMemorySwarm()
      swarm.behave(() => 'complete')
      await deploy(swarm, 'ghcr.io octocat token', parts)
      const before = labelOf(swarm)
      assert.deepEqual((await deploy(swarm, 'ghcr.io octocat another', parts)).changes, [])
      assert.equal(labelOf(swarm), before)
    })
  }

  test('are written to a service that may complete, but runs', async () => {
    const swarm = createMemorySwarm()
    await deploy(swarm, 'ghcr.io octocat token', restart('on-failure'))
    const { changes } = await deploy(swarm, 'ghcr.io octocat another', restart('on-failure'))
    assert.deepEqual(changes, ['credentials credentials'])
  })

  test('that two runs write at once are one of the two, and the run that came late says so', async () => {
    const swarm = createMemorySwarm()
    await deploy(swarm, 'ghcr.io octocat token')
    let isFirst = true
    const engine: typeof swarm.engine = {
      ...swarm.engine,
      async updateService(...args) {
        if (isFirst) {
          isFirst = false
          await deploy(swarm, 'ghcr.io octocat theirs')
        }
        return swarm.engine.updateService(...args)
      },
    }
    const { auth } = parseRegistryAuth('ghcr.io octocat ours', () => undefined)
    const services = [aServiceObject('shop', 'web', { image })]
    await assert.rejects(
      new Backend(engine).withRegistryAuth(auth).deployStack(aStackSpec('shop', { services }), 'never'),
      { code: 'conflict' },
    )
    assert.deepEqual((await deploy(swarm, 'ghcr.io octocat theirs')).changes, [])
  })
})
