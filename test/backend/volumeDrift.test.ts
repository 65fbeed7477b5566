// Docker keeps a volume as it was created: of which ones a plan warns.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { volumeDrifts } from '../../src/backend/volumeDrift.ts'
import type { Problem } from '../../src/errors.ts'
import { NAMESPACE_LABEL } from '../../src/swarm/names.ts'
import type { Service } from '../../src/swarm/service.ts'
import { aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

interface Wish {
  readonly source?: string
  readonly driver?: string
  readonly options?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
  readonly external?: boolean
}

const mount = ({ source = 'shop_data', driver, options, labels, external = false }: Wish = {}, target = '/d') => ({
  Type: 'volume' as const,
  Source: source,
  Target: target,
  VolumeOptions: external
    ? {}
    : {
        Labels: { [NAMESPACE_LABEL]: 'shop', ...labels },
        ...((driver ?? options) === undefined
          ? {}
          : { DriverConfig: { ...(driver !== undefined && { Name: driver }), ...(options && { Options: options }) } }),
      },
})
type Mounts = readonly ReturnType<typeof mount>[]
const service = (key: string, Mounts: Mounts) => aServiceObject('shop', key, { container: { Mounts } })

function found(live: Readonly<Record<string, Mounts>>, wanted: Readonly<Record<string, Mounts>>) {
  const services = new Map(
    Object.entries(live).map(([key, mounts]) => [`shop_${key}`, { Spec: service(key, mounts).spec } as Service]),
  )
  const spec = aStackSpec('shop', { services: Object.entries(wanted).map(([key, mounts]) => service(key, mounts)) })
  const problems: Problem[] = []
  const drifts = volumeDrifts(spec, { services }, (problem) => problems.push(problem))
  assert.equal(problems.length, drifts.length)
  return { drifts, problems }
}

const nfs = (device: string): Wish => ({ options: { type: 'nfs', o: 'addr=nas,password=planted', device } })

describe('the volumes whose settings change', () => {
  const cases: readonly (readonly [what: string, live: Mounts, wanted: Mounts, settings: readonly string[]])[] = [
    ['none', [mount(nfs(':/a'))], [mount(nfs(':/a'))], []],
    ['one option', [mount(nfs(':/a'))], [mount(nfs(':/b'))], ['option device']],
    ['all options', [mount(nfs(':/a'))], [mount()], ['option device', 'option o', 'option type']],
    ['the driver', [mount()], [mount({ driver: 'rexray' })], ['driver']],
    ['the driver by its name is the default one', [mount()], [mount({ driver: 'local' })], []],
    [
      'labels',
      [mount({ labels: { a: '1', b: '1' } })],
      [mount({ labels: { a: '2', c: '1' } })],
      ['label a', 'label b', 'label c'],
    ],
    ['another volume', [mount(nfs(':/a'))], [mount({ ...nfs(':/b'), source: 'shop_other' })], []],
    ['a first one', [], [mount(nfs(':/b'))], []],
    ['what becomes external is taken as it is', [mount(nfs(':/a'))], [mount({ external: true })], []],
    [
      "what was external does not become the stack's",
      [mount({ external: true })],
      [mount({ labels: { a: '1' } })],
      ['label a', `label ${NAMESPACE_LABEL}`],
    ],
    [
      'labels of each mount differ, as before',
      [mount({ labels: { a: '1' } }), mount({}, '/e')],
      [mount({ labels: { a: '1' } }), mount({}, '/e')],
      [],
    ],
    [
      'of two mounts the nearest says what changes',
      [mount({ ...nfs(':/a'), labels: { a: '1' } }), mount(nfs(':/a'), '/e')],
      [mount(nfs(':/b'), '/e')],
      ['option device'],
    ],
  ]
  for (const [what, live, wanted, settings] of cases) {
    test(what, () => {
      const { drifts } = found({ web: live }, { web: wanted })
      assert.deepEqual(
        drifts.map((drift) => drift.settings),
        settings.length === 0 ? [] : [settings],
      )
    })
  }
})

test('a volume that moves to another service is the same one, and is told of once', () => {
  const [old, next] = [[mount(nfs(':/a'))], [mount(nfs(':/b'))]]
  const { drifts } = found({ old }, { web: next, worker: next })
  assert.deepEqual(
    drifts.map(({ name }) => name),
    ['shop_data'],
  )
})

test('the warning stands at the definition, says what to do, and shows no value', () => {
  const web = service('web', [mount(nfs(':/b'))])
  const line = (number: number) => ({ file: 'stack.yml', line: number, column: 3 })
  const services = new Map([['shop_web', { Spec: service('web', [mount(nfs(':/a'))]).spec } as Service]])
  for (const [places, expected] of [
    [{ 'volumes.0': line(7), 'volumeDefinitions.0': line(20) }, 20],
    [{ 'volumes.0': line(7) }, 7],
    [{}, web.position.line],
  ] as const) {
    const problems: Problem[] = []
    const spec = aStackSpec('shop', { services: [{ ...web, places }] })
    volumeDrifts(spec, { services }, (problem) => problems.push(problem))
    const [{ severity, message, position, remedy } = assert.fail()] = problems
    assert.deepEqual([severity, position?.line], ['warning', expected])
    assert.equal(
      message,
      'the volume "shop_data" gets other settings (option device), but where it exists it stays as it is',
    )
    assert.match(remedy ?? '', /docker volume rm shop_data.*or give it another "name:"/)
    assert.doesNotMatch(JSON.stringify(problems), /planted|nas|:\/[ab]/)
  }
})
