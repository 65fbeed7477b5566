import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { WriteJournal } from '../../src/backend/journal.ts'
import { driftText, networkDrift } from '../../src/backend/networkDrift.ts'
import { checkSubnets } from '../../src/backend/subnets.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { DeployError, type Problem } from '../../src/errors.ts'
import { NAMESPACE_LABEL } from '../../src/swarm/names.ts'
import type { IPAMConfig, Network, NetworkCreateRequest } from '../../src/swarm/network.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { networkFrom } from '../support/memoryValues.ts'
import { racing } from '../support/racing.ts'
import { aNetworkObject, anExternalObject, aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const pools = (...subnets: readonly string[]) => ({ IPAM: { Config: subnets.map((Subnet) => ({ Subnet })) } })
const aNetwork = (Name: string, parts: Partial<Network> = {}): Network => ({
  ...networkFrom({ Name, Driver: 'overlay' }, `id of ${Name}`, '2026-01-01T00:00:00Z'),
  ...parts,
})

async function failureOf(deployment: Promise<unknown>): Promise<DeployError> {
  const failure = await deployment.then(
    () => assert.fail('it was deployed'),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof DeployError, String(failure))
  return failure
}

describe('subnets', () => {
  const found = (wanted: Partial<NetworkCreateRequest>[], live: readonly Network[]): readonly string[] => {
    const problems: Problem[] = []
    const networks = wanted.map((parts, index) => aNetworkObject('shop', `n${index}`, parts))
    checkSubnets(networks, live, (problem) => problems.push(problem))
    return problems.map(
      ({ message }) =>
        /the subnet (\S+) .* overlaps (\S+ of the network "\S+")/.exec(message)?.slice(1).join(' | ') ?? message,
    )
  }
  const ingress = aNetwork('ingress', pools('10.0.0.0/24'))
  const cases: readonly (readonly [string, Partial<NetworkCreateRequest>[], readonly Network[], readonly string[]])[] =
    [
      ['that are free', [pools('10.1.0.0/24')], [ingress], []],
      ['that are the same', [pools('10.0.0.0/24')], [ingress], ['10.0.0.0/24 | 10.0.0.0/24 of the network "ingress"']],
      [
        'that lie in another',
        [pools('10.0.0.128/25')],
        [ingress],
        ['10.0.0.128/25 | 10.0.0.0/24 of the network "ingress"'],
      ],
      ['that another lies in', [pools('10.0.0.0/8')], [ingress], ['10.0.0.0/8 | 10.0.0.0/24 of the network "ingress"']],
      ['that border on another', [pools('10.0.1.0/24')], [ingress], []],
      [
        'of one stack',
        [pools('10.1.0.0/24'), pools('10.1.0.0/25')],
        [],
        ['10.1.0.0/25 | 10.1.0.0/24 of the network "shop_n0"'],
      ],
      [
        'of one network',
        [pools('10.1.0.0/24', '10.1.0.0/25')],
        [],
        ['10.1.0.0/25 | 10.1.0.0/24 of the network "shop_n0"'],
      ],
      [
        'of IPv6',
        [pools('fd00:1::/64')],
        [aNetwork('six', pools('fd00::/16'))],
        ['fd00:1::/64 | fd00::/16 of the network "six"'],
      ],
      ['of two families', [pools('::/0')], [ingress], []],
      [
        'of networks on one node',
        [pools('172.17.0.0/16')],
        [aNetwork('bridge', { Scope: 'local', ...pools('172.17.0.0/16') })],
        [],
      ],
      [
        'of another IPAM driver',
        [{ IPAM: { Driver: 'infoblox', Config: [{ Subnet: '10.0.0.0/24' }] } }],
        [ingress],
        [],
      ],
      ['that are none, which the engine tells', [pools('10.0.0.0/33', 'somewhere', '10.0.0.0')], [ingress], []],
      ['that nobody chose', [{}], [ingress, aNetwork('new', { Driver: '', IPAM: null })], []],
    ]
  for (const [what, wanted, live, expected] of cases) test(what, () => assert.deepEqual(found(wanted, live), expected))
})

describe('a network that exists differs', () => {
  const wanted = (parts: Partial<NetworkCreateRequest>) => ({ Name: 'shop_n', Driver: 'overlay', ...parts })
  const pool = (parts: IPAMConfig) => ({ IPAM: { Config: [{ Subnet: '10.1.0.0/24', ...parts }] } })
  const live = (parts: Partial<Network> = {}) => aNetwork('shop_n', { ...pool({ Gateway: '10.1.0.1' }), ...parts })
  const cases: readonly (readonly [string, Partial<NetworkCreateRequest>, Network, readonly string[]])[] = [
    ['in nothing', {}, live(), []],
    ['in nothing where the engine chose', pool({}), live({ Options: { vxlanid_list: '4097' } }), []],
    ['in its driver', { Driver: 'weave' }, live(), ['driver overlay instead of weave']],
    [
      'in three flags',
      { Attachable: true, Internal: true, EnableIPv6: true },
      live(),
      ['attachable false instead of true', 'internal false instead of true', 'enable_ipv6 false instead of true'],
    ],
    [
      'in an option',
      { Options: { encrypted: '', mtu: '9000' } },
      live({ Options: { mtu: '1400' } }),
      ['option mtu 1400 instead of 9000'],
    ],
    [
      'in its subnet',
      { IPAM: { Config: [{ Subnet: '10.2.0.0/24' }] } },
      live(),
      ['subnet 10.1.0.0/24 instead of 10.2.0.0/24'],
    ],
    ['in its gateway', pool({ Gateway: '10.1.0.9' }), live(), ['gateway of 10.1.0.0/24 10.1.0.1 instead of 10.1.0.9']],
    ['in its range', pool({ IPRange: '10.1.0.0/28' }), live(), ['ip_range of 10.1.0.0/24 none instead of 10.1.0.0/28']],
    [
      'only in what is known before it has addresses',
      { Attachable: true, Driver: 'weave', ...pool({}) },
      live({ Driver: '', IPAM: null }),
      ['attachable false instead of true'],
    ],
  ]
  for (const [what, wish, fact, expected] of cases) {
    test(what, () => assert.deepEqual(networkDrift(wanted(wish), fact).map(driftText), expected))
  }
})

describe('names', () => {
  test('of another case are the same network for Swarm', async () => {
    const swarm = createMemorySwarm()
    await swarm.engine.createNetwork({ Name: 'Proxy', Driver: 'overlay' })
    await swarm.engine.createNetwork({ Name: 'SHOP_own', Driver: 'overlay', Labels: { [NAMESPACE_LABEL]: 'shop' } })
    swarm.writes.length = 0
    const networks = [
      anExternalObject('proxy'),
      anExternalObject('Pro'),
      anExternalObject('ingress'),
      aNetworkObject('shop', 'own'),
    ]
    const { problems } = await failureOf(
      new Backend(swarm.engine).deployStack(aStackSpec('shop', { networks }), 'never'),
    )
    assert.deepEqual(
      problems.map(({ code, message }) => [code, message]),
      [
        ['missing-resource', 'the external network "proxy" does not exist, but "Proxy" does'],
        ['missing-resource', 'the external network "Pro" does not exist'],
        ['unsupported', 'the network "ingress" is the swarm\'s ingress network, which no service can name'],
        ['conflict', 'the network "SHOP_own" exists already and belongs to the stack "shop"'],
      ],
    )
    assert.deepEqual(swarm.writes, [])
  })

  test('that a racing run of the same stack takes first will do; taken by somebody else they are refused', async () => {
    const spec = aStackSpec('shop', { networks: [aNetworkObject('shop', 'front')] })
    for (const owner of ['shop', 'other']) {
      const swarm = createMemorySwarm()
      const Labels = { [NAMESPACE_LABEL]: owner }
      const racer = racing(swarm.engine, 'createNetwork', () =>
        swarm.engine.createNetwork({ Name: 'shop_front', Driver: 'overlay', Labels }),
      )
      const deployment = new Backend(racer).deployStack(spec, 'never')
      if (owner === 'shop') assert.equal((await deployment).changes.length, 1)
      else assert.equal((await failureOf(deployment)).code, 'conflict')
      assert.deepEqual(swarm.writes, ['create network shop_front'])
    }
  })
})

describe('a network that gets no addresses', () => {
  const subnet = { IPAM: { Config: [{ Subnet: '10.9.0.0/24' }] } }
  const spec = aStackSpec('shop', {
    networks: [aNetworkObject('shop', 'a'), aNetworkObject('shop', 'b', subnet)],
    services: [aServiceObject('shop', 'web')],
  })

  /** As Swarm shows a network before it has addresses, for the first so many looks at those of the stack. */
  function slow(engine: Engine, looks: number): Engine {
    const empty = (network: Network): Network => ({ ...network, Driver: '', IPAM: null, Options: null })
    return new Proxy(engine, {
      get(target, property) {
        if (property !== 'listNetworks') return Reflect.get(target, property)
        return async (...args: Parameters<Engine['listNetworks']>) => {
          const listed = await target.listNetworks(...args)
          const isDue = listed.some(({ Name }) => Name === 'shop_b') && looks-- > 0
          return isDue ? listed.map((one) => (one.Name === 'shop_b' ? empty(one) : one)) : listed
        }
      },
    })
  }

  test('at once is waited for', async () => {
    const swarm = createMemorySwarm()
    const { changes } = await new Backend(slow(swarm.engine, 2)).deployStack(spec, 'never')
    assert.equal(changes.length, 3)
  })

  test('at all is told at its line, and taken back', async () => {
    const swarm = createMemorySwarm()
    const journal = new WriteJournal()
    let time = 0
    const options = { journal, now: () => (time += 4000) }
    const failure = await failureOf(new Backend(slow(swarm.engine, 99), options).deployStack(spec, 'never'))
    assert.equal(failure.code, 'network')
    assert.equal(
      failure.message,
      'Swarm has no addresses for the network "shop_b": its subnet 10.9.0.0/24 may overlap one that is in use',
    )
    assert.equal(failure.position?.line, 30)
    assert.match(failure.remedy ?? '', /^Choose a free subnet.* The log of the leader's dockerd says which/)
    assert.deepEqual(swarm.writes.sort(), ['create network shop_a', 'create network shop_b', 'remove network shop_b'])
    assert.deepEqual(journal.report().applied, ['network shop_a'])
  })

  test('and was there before stays, with the command that removes it', async () => {
    const swarm = createMemorySwarm()
    await new Backend(swarm.engine).deployStack({ ...spec, services: [] }, 'never')
    swarm.writes.length = 0
    let time = 0
    const failure = await failureOf(
      new Backend(slow(swarm.engine, 99), { now: () => (time += 4000) }).deployStack(spec, 'never'),
    )
    assert.match(failure.remedy ?? '', /^Remove it with `docker network rm shop_b`\. Choose a free subnet/)
    assert.deepEqual(swarm.writes, [])
  })
})
