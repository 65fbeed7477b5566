import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { DeployError } from '../../src/errors.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import {
  aFileObject,
  aNetworkObject,
  anExternalObject,
  aServiceObject,
  aStackSpec,
  base64,
  configReference,
  secretReference,
} from '../support/stackSpecs.ts'

/** What is refused, as `line: message`, on a swarm that holds a secret and a release record. */
async function refusals(parts: Partial<StackSpec>, forbidden: readonly string[] = []): Promise<readonly string[]> {
  const swarm = createMemorySwarm()
  await swarm.engine.createSecret({ Name: 'Runner-Key', Data: base64('x') })
  for (const Name of ['swarmcli.release.other.v1', 'innocent']) {
    await swarm.engine.createConfig({ Name, Labels: { 'com.swarmcli.type': 'release' }, Data: base64('x') })
  }
  swarm.writes.length = 0
  const backend = new Backend(swarm.engine).withForbiddenSecrets(new Set(forbidden))
  try {
    await backend.deployStack(aStackSpec('shop', parts), 'never')
    return []
  } catch (error) {
    assert.ok(error instanceof DeployError, String(error))
    assert.deepEqual(swarm.writes, [])
    for (const problem of error.problems) {
      assert.equal(problem.code, 'forbidden')
      assert.notEqual(problem.remedy, undefined)
    }
    return error.problems.map(({ position, message }) => `${position?.line}: ${message}`)
  }
}

const web = (parts: Parameters<typeof aServiceObject>[2] = {}) => aServiceObject('shop', 'web', parts)
const named = (name: string) => ({ ...aFileObject('shop', 'file', 'x'), name })
const mounting = (name: string) =>
  web({ container: { Secrets: [{ ...secretReference('shop', 'x'), SecretName: name }] } })

describe('protected secrets', () => {
  const cases: readonly (readonly [string, Partial<StackSpec>, readonly string[]])[] = [
    [
      'mounted',
      { services: [mounting('Runner-Key')], secrets: [anExternalObject('Runner-Key')] },
      ['2: service web mounts the protected secret "Runner-Key"'],
    ],
    [
      'declared, and used by nobody',
      { secrets: [named('runner-key')] },
      ['40: the manifest declares the protected secret "runner-key"'],
    ],
    [
      'both',
      { services: [mounting('runner-key')], secrets: [named('runner-key')] },
      [
        '2: service web mounts the protected secret "runner-key"',
        '40: the manifest declares the protected secret "runner-key"',
      ],
    ],
    ['of another name', { secrets: [named('runner-key-2')] }, []],
  ]
  for (const [what, parts, expected] of cases) {
    test(what, async () => assert.deepEqual(await refusals(parts, ['runner-key']), expected))
  }
})

describe('release records and their names', () => {
  const cases: readonly (readonly [string, Partial<StackSpec>, readonly string[]])[] = [
    [
      'a record that a service reads',
      {
        services: [
          web({
            container: { Configs: [{ ...configReference('shop', 'x'), ConfigName: 'swarmcli.release.other.v1' }] },
          }),
        ],
        configs: [anExternalObject('swarmcli.release.other.v1')],
      },
      ['50: the config "swarmcli.release.other.v1" is a release record, which no service may read'],
    ],
    [
      'one by its labels alone',
      { configs: [anExternalObject('innocent')] },
      ['50: the config "innocent" is a release record, which no service may read'],
    ],
    [
      'one that the manifest declares',
      { configs: [named('innocent')] },
      ['40: the config "innocent" is a release record, which no service may read'],
    ],
    [
      'a config of such a name',
      { configs: [named('SwarmCLI.release.shop.v2')] },
      ['40: the manifest declares the config "SwarmCLI.release.shop.v2", whose name is reserved'],
    ],
    [
      'a secret of such a name',
      { secrets: [named('swarmcli.release.x')] },
      ['40: the manifest declares the secret "swarmcli.release.x", whose name is reserved'],
    ],
    ['a name that only resembles one', { configs: [named('swarmcli.releases')] }, []],
  ]
  for (const [what, parts, expected] of cases) {
    test(what, async () => assert.deepEqual(await refusals(parts), expected))
  }
})

describe('labels of our own', () => {
  const labels = (name: string) => ({ 'com.docker.stack.namespace': 'shop', [name]: 'x' })
  const cases: readonly (readonly [string, Partial<StackSpec>, readonly string[]])[] = [
    [
      'on a service',
      { services: [web({ spec: { Labels: labels('com.swarmcli.owner') } })] },
      ['2: service web sets the reserved label "com.swarmcli.owner"'],
    ],
    [
      'the other ones',
      { services: [web({ spec: { Labels: labels('com.swarm-stack-deploy.retry') } })] },
      ['2: service web sets the reserved label "com.swarm-stack-deploy.retry"'],
    ],
    ['the one of a manifest', { services: [web({ spec: { Labels: labels('com.swarmcli.rollout') } })] }, []],
    ['on a container', { services: [web({ container: { Labels: labels('com.swarmcli.owner') } })] }, []],
    [
      'on a config',
      { configs: [aFileObject('shop', 'c', 'x', { 'com.swarmcli.type': 'release' })] },
      ['40: the config "c" sets the reserved label "com.swarmcli.type"'],
    ],
    [
      'on a secret',
      { secrets: [aFileObject('shop', 's', 'x', { 'com.swarmcli.rollout': 'x' })] },
      ['40: the secret "s" sets the reserved label "com.swarmcli.rollout"'],
    ],
    [
      'on a network',
      { networks: [aNetworkObject('shop', 'n', { Labels: labels('swarmcli.created') })] },
      ['30: the network "n" sets the reserved label "swarmcli.created"'],
    ],
    ['like them', { services: [web({ spec: { Labels: labels('com.swarmclient.x') } })] }, []],
  ]
  for (const [what, parts, expected] of cases) {
    test(what, async () => assert.deepEqual(await refusals(parts), expected))
  }
})

test('a label for rollouts that the manifest drops is gone, and our own stay', async () => {
  const { engine, service } = createMemorySwarm()
  const backend = new Backend(engine, { owner: 'gha/acme/shop' })
  const labels = { 'com.swarmcli.rollout': 'sequential' }
  await backend.deployStack(aStackSpec('shop', { services: [web({ spec: { Labels: labels } })] }), 'never')
  assert.equal(service('shop_web').Spec.Labels?.['com.swarmcli.rollout'], 'sequential')
  await new Backend(engine, { adopt: true }).deployStack(aStackSpec('shop', { services: [web()] }), 'never')
  const left = service('shop_web').Spec.Labels ?? {}
  assert.deepEqual(
    [left['com.swarmcli.rollout'], left['com.swarmcli.owner']],
    [undefined, 'gha/acme/shop:release/shop'],
  )
})
