import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { handover, ownerStamp, refuseForeign } from '../../src/backend/ownership.ts'
import { DeployError } from '../../src/errors.ts'
import { NAMESPACE_LABEL, OWNER_LABEL } from '../../src/swarm/names.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const us = 'gha/acme/shop'
const them = 'gha/octocat/shop'
const stamp = (owner: string, namespace = 'shop') => `${owner}:release/${namespace}`

const service = (Name: string, owner?: string, namespace = 'shop') => ({
  Spec: { Name, Labels: { [NAMESPACE_LABEL]: namespace, ...(owner === undefined ? {} : { [OWNER_LABEL]: owner }) } },
})
const record = (revision: number, owner: string, labels = {}) => ({
  Spec: { Name: `swarmcli.release.shop.v${revision}`, Labels: { [OWNER_LABEL]: owner, ...labels } },
})
type Parts = ReturnType<typeof service | typeof record>

/** The owners that the refusal names; none where there is no refusal. */
function refusal(
  services: readonly Parts[],
  records: readonly Parts[] = [],
  run: { owner: string | undefined } = { owner: us },
) {
  try {
    refuseForeign('shop', services, records, { ...run, adopt: false })
    return []
  } catch (error) {
    assert.ok(error instanceof DeployError)
    assert.equal(error.code, 'conflict')
    assert.match(error.remedy ?? '', /`adopt: true`/)
    return [...error.message.matchAll(/(\S+) \(by the stamp/g)].map(([, name]) => name)
  }
}

describe('a stack is refused', () => {
  const cases: readonly (readonly [string, readonly Parts[], readonly Parts[], readonly string[]])[] = [
    ['that nobody deployed', [], [], []],
    ['of nobody', [service('shop_web')], [], []],
    ['of our own', [service('shop_web', stamp(us))], [record(1, stamp(us))], []],
    ['of our own, spelled otherwise', [service('shop_web', stamp('gha/Acme/SHOP'))], [record(1, stamp(us))], []],
    ['of a namesake that is no repository', [service('shop_web', stamp('Gha/acme/shop'))], [], ['Gha/acme/shop']],
    ['of someone else', [service('shop_web', stamp(them))], [], [them]],
    ['in part of someone else', [service('shop_db', stamp(them)), service('shop_web', stamp(us))], [], [them]],
    ['of two', [service('shop_db', stamp('cd/main/db')), service('shop_web', stamp(them))], [], ['cd/main/db', them]],
    ['by a record alone', [], [record(3, stamp(them))], [them]],
    ['by the newest record, not by its name', [], [record(9, stamp(us)), record(10, stamp(them))], [them]],
    [
      'but not for what it was once',
      [service('shop_web', stamp(us))],
      [record(10, stamp(us)), record(9, stamp(them))],
      [],
    ],
    [
      'but not by a config of the stack with the labels of a record',
      [],
      [record(1, stamp(them), { [NAMESPACE_LABEL]: 'shop' })],
      [],
    ],
    ['but not by the stamp of another stack', [service('shop_web', stamp(them, 'other'))], [], []],
    [
      'but not by a stamp that is none',
      ['', them, `a:b:release/shop`, ':release/shop', `${them}:app/shop`].map((text) => service('shop_web', text)),
      [],
      [],
    ],
    ['but not for a service of another stack', [service('shop_eu_web', stamp(them), 'shop_eu')], [], []],
  ]
  for (const [what, services, records, owners] of cases) {
    test(what, () => assert.deepEqual(refusal(services, records), owners))
  }

  test('by everybody to a run without a repository', () => {
    assert.deepEqual(refusal([service('shop_web', stamp(us))], [], { owner: undefined }), [us])
  })

  test('with the names of what bears the stamp', () => {
    const refuse = (names: readonly string[]) =>
      refuseForeign(
        'shop',
        names.map((name) => service(name, stamp(them))),
        [record(2, stamp(them))],
        { owner: us, adopt: false },
      )
    const message = (names: string) =>
      `the stack "shop" belongs to ${them} (by the stamp on ${names}), and this run is of ${us}`
    assert.throws(() => refuse(['shop_web', 'shop_db']), { message: message('shop_db, shop_web') })
    assert.throws(() => refuse([]), { message: message('swarmcli.release.shop.v2') })
    const many = ['e', 'd', 'c', 'b', 'a'].map((name) => `shop_${name}`)
    assert.throws(() => refuse(many), { message: message('shop_a, shop_b, shop_c and 2 more') })
  })

  test('but not where it is to be adopted', () => {
    refuseForeign('shop', [service('shop_web', stamp(them))], [], { owner: us, adopt: true })
  })
})

describe('a stamp from before the newest record', () => {
  const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.123456789Z`
  const written = (minute: number, owner: string) => ({ ...service('shop_web', stamp(owner)), UpdatedAt: at(minute) })
  const recorded = (revision: number, minute: number, owner: string) => ({
    ...record(revision, owner),
    CreatedAt: at(minute),
  })
  const cases: readonly (readonly [string, readonly Parts[], readonly Parts[], readonly string[]])[] = [
    ['tells only whose it was', [written(1, them)], [recorded(2, 2, stamp(us))], []],
    ['of ours does so, too', [written(1, us)], [recorded(2, 2, stamp(them))], [them]],
    ['counts if it was written since', [written(3, them)], [recorded(2, 2, stamp(us))], [them]],
    ['counts if the record is nobody’s', [written(1, them)], [recorded(2, 2, 'none')], [them]],
  ]
  for (const [what, services, records, owners] of cases) {
    test(what, () => assert.deepEqual(refusal(services, records), owners))
  }
})

test('what would run again for it is not stamped, until it is written anyway', async () => {
  const swarm = createMemorySwarm()
  const once = { template: { RestartPolicy: { Condition: 'none' } } } as const
  const spec = (image: string) =>
    aStackSpec('shop', {
      services: [
        aServiceObject('shop', 'job', { image, spec: { Mode: { ReplicatedJob: {} } } }),
        aServiceObject('shop', 'once', { image, ...once }),
        aServiceObject('shop', 'web'),
      ],
    })
  const deploy = async (image: string, owner?: string) => {
    const { changes } = await new Backend(swarm.engine, { owner }).deployStack(spec(image), 'never')
    return changes.map(({ action, name }) => `${action} ${name}`)
  }
  await deploy('tb/job:1')
  assert.deepEqual(await deploy('tb/job:1', us), ['update shop_web'])
  assert.deepEqual(await deploy('tb/job:1', us), [])
  assert.deepEqual(await deploy('tb/job:2', us), ['update shop_job', 'update shop_once'])
  for (const name of ['shop_job', 'shop_once', 'shop_web']) {
    assert.equal(swarm.service(name).Spec.Labels?.[OWNER_LABEL], stamp(us), name)
  }
})

test('a run without an owner stamps nothing', () => {
  const nothing = { services: new Map(), records: [] }
  const report = (): never => assert.fail('there is nothing to refuse')
  assert.equal(ownerStamp('shop', nothing, { owner: undefined, adopt: false }, report), undefined)
  assert.equal(ownerStamp('shop', nothing, { owner: us, adopt: false }, report), stamp(us))
})

describe('what changes hands is said', () => {
  const said = (services: readonly Parts[]) => {
    const known = new Map(services.map((one) => [one.Spec.Name, one])) as never
    return handover('shop', { services: known, records: [] }, { owner: us, adopt: true })
  }
  test('once', () => {
    assert.match(
      said([service('shop_web')]) ?? '',
      /^The stack shop was not deployed by this action so far: it is adopted/,
    )
    assert.equal(said([service('shop_web', stamp(us)), service('shop_db')]), undefined)
    assert.match(said([service('shop_web', stamp(them))]) ?? '', /^Taking over the stack shop from gha\/octocat\/shop/)
  })
  test('and nothing where nothing does', () => {
    assert.equal(said([]), undefined)
    assert.equal(said([service('shop_eu_web', undefined, 'shop_eu')]), undefined)
  })
})
