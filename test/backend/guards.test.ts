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
    assert.ok(error.problems.length > 0, error.message)
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
const at = (line: number) => ({ file: 'stack.yml', line, column: 9 })
const shipped = aFileObject('shop', 'file', 'x')
/** The first config stands before it; the one in question has a line of its own. */
const reading = (name: string) => {
  const Configs = [configReference('shop', 'file'), { ...configReference('shop', 'x'), ConfigName: name }]
  return { ...web({ container: { Configs } }), places: { configs: at(10), 'configs.1': at(12) } }
}

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
    [
      'declared as external, and mounted by nobody this time',
      { secretsAside: [{ key: 'idle', name: 'RUNNER-key', position: at(44) }] },
      ['44: the manifest declares the protected secret "RUNNER-key"'],
    ],
    [
      'mounted, and declared once more under another key',
      {
        services: [mounting('Runner-Key')],
        secrets: [anExternalObject('Runner-Key')],
        secretsAside: [{ key: 'idle', name: 'Runner-Key', position: at(44) }],
      },
      [
        '2: service web mounts the protected secret "Runner-Key"',
        '44: the manifest declares the protected secret "Runner-Key"',
      ],
    ],
    [
      'of a release, where every secret is used as it is',
      { secrets: [anExternalObject('Runner-Key')] },
      ['50: the manifest declares the protected secret "Runner-Key"'],
    ],
    [
      'of another name',
      { secrets: [named('runner-key-2')], secretsAside: [{ key: 'idle', name: 'runner-key-3', position: at(44) }] },
      [],
    ],
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
        services: [reading('swarmcli.release.other.v1')],
        configs: [shipped, anExternalObject('swarmcli.release.other.v1')],
      },
      ['12: service web uses the config "swarmcli.release.other.v1", a release record, which no service may read'],
    ],
    [
      'one by its labels alone',
      { services: [reading('innocent')], configs: [shipped, anExternalObject('innocent')] },
      ['12: service web uses the config "innocent", a release record, which no service may read'],
    ],
    [
      'one that is read as a credential specification',
      {
        services: [
          {
            ...web({ container: { Configs: [{ Runtime: {}, ConfigID: '', ConfigName: 'innocent' }] } }),
            places: { configs: at(10), credential_spec: at(14) },
          },
        ],
        configs: [anExternalObject('innocent')],
      },
      ['14: service web uses the config "innocent", a release record, which no service may read'],
    ],
    [
      'one that the manifest declares, and nobody uses',
      { configs: [named('innocent')] },
      ['40: the manifest declares the config "innocent", a release record'],
    ],
    [
      'both',
      { services: [reading('innocent')], configs: [shipped, named('innocent')] },
      [
        '12: service web uses the config "innocent", a release record, which no service may read',
        '40: the manifest declares the config "innocent", a release record',
      ],
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
