// What a plan shows of each thing that it changes, and what it never shows.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { differencesOf, type FieldDifference, type ObjectDifference } from '../../src/backend/differences.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import type { SecretSpec } from '../../src/swarm/secret.ts'
import type { ServiceSpec } from '../../src/swarm/service.ts'
import { everyField } from '../support/everyField.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { aFileObject, aNetworkObject, aServiceObject, aStackSpec, type ServiceParts } from '../support/stackSpecs.ts'

const namespace = 'shop'
const written = new Map([
  ['hunter2', '${DB_PASSWORD}'],
  ['one', 'one'],
])
const manifestText = (value: string): string | undefined => written.get(value)

const web = (parts: ServiceParts): StackSpec =>
  aStackSpec(namespace, { services: [aServiceObject(namespace, 'web', parts)] })

/** What is planned for `next` after `first` was deployed and, maybe, changed by hand. */
async function planned(
  first: StackSpec,
  next: StackSpec,
  byHand?: (spec: ServiceSpec) => ServiceSpec,
): Promise<readonly ObjectDifference[]> {
  const swarm = createMemorySwarm()
  const backend = new Backend(swarm.engine, { rotate: true, owner: 'gha/acme/shop' })
  await backend.deployStack(first, 'never')
  if (byHand) swarm.tamper('shop_web', byHand)
  return differencesOf(await backend.planStack(next, 'never'), [], manifestText).objects
}

function fieldTexts(objects: readonly ObjectDifference[]): readonly string[] {
  const text = ({ field, old, new: now, note }: FieldDifference): string =>
    `${field}: ${old} → ${now}${note === undefined ? '' : ` (${note})`}`
  return objects.flatMap(({ fields }) => fields.map(text))
}

test('a stack with every field, deployed and left alone, has nothing to plan', async () => {
  assert.deepEqual(await planned(everyField(namespace), everyField(namespace)), [])
})

test('a service that nobody has noted the fields of is left alone all the same', async () => {
  const bare = web({})
  const without = (spec: ServiceSpec): ServiceSpec => {
    const { 'com.swarm-stack-deploy.written': _written, ...Labels } = spec.Labels ?? {}
    assert.notEqual(_written, undefined)
    return { ...spec, Labels }
  }
  assert.deepEqual(await planned(bare, bare, without), [])
})

describe('values that may be secrets: of what runs nothing, of what is wanted the manifest', () => {
  const cases: readonly (readonly [what: string, first: ServiceParts, next: ServiceParts, shown: readonly string[]])[] =
    [
      [
        'variables',
        { container: { Env: ['A=live', 'GONE=live', 'B=one'] } },
        { container: { Env: ['A=hunter2', 'B=one', 'NEW=one', 'FILE=planted', 'EMPTY='] } },
        [
          'env[A]: (other) → ${DB_PASSWORD}',
          'env[EMPTY]: (absent) → ""',
          'env[FILE]: (absent) → (not shown)',
          'env[GONE]: (other) → (absent)',
          'env[NEW]: (absent) → one',
        ],
      ],
      [
        'command and arguments',
        { container: { Command: ['live'], Args: ['live'] } },
        { container: { Command: ['one', 'hunter2'], Args: ['one', 'planted'] } },
        ['command: (other) → one ${DB_PASSWORD}', 'args: (other) → one (not shown)'],
      ],
      [
        'labels',
        { spec: { Labels: { a: 'live' } }, container: { Labels: { a: 'live' } } },
        { spec: { Labels: { a: 'hunter2' } }, container: { Labels: { b: 'planted' } } },
        [
          'labels[a]: (other) → ${DB_PASSWORD}',
          'containerLabels[a]: (other) → (absent)',
          'containerLabels[b]: (absent) → (not shown)',
        ],
      ],
      [
        'the check of health',
        { container: { Healthcheck: { Test: ['CMD', 'live'], Interval: 10_000_000_000 } } },
        { container: { Healthcheck: { Test: ['CMD-SHELL', 'hunter2'], Interval: 90_000_000_000 } } },
        ['healthcheck.interval: 10s → 90s', 'healthcheck.test: (other) → CMD-SHELL ${DB_PASSWORD}'],
      ],
      [
        "the log driver's options and sysctls",
        {
          template: { LogDriver: { Name: 'syslog', Options: { token: 'live' } } },
          container: { Sysctls: { a: 'live' } },
        },
        {
          template: { LogDriver: { Name: 'syslog', Options: { token: 'hunter2' } } },
          container: { Sysctls: { a: 'planted' } },
        },
        ['sysctls[a]: (other) → (not shown)', 'logDriver.options[token]: (other) → ${DB_PASSWORD}'],
      ],
      [
        'options of volumes',
        {},
        {
          container: {
            Mounts: [
              {
                Type: 'volume',
                Source: 'v',
                Target: '/d',
                VolumeOptions: { DriverConfig: { Name: 'nfs', Options: { o: 'planted' } } },
              },
            ],
          },
        },
        [
          'mounts[/d]: (absent) → source v, type volume, volumeOptions.driverConfig.name nfs, volumeOptions.driverConfig.options[o] (not shown)',
        ],
      ],
    ]
  for (const [what, first, next, shown] of cases) {
    test(what, async () => {
      const objects = await planned(web(first), web(next))
      assert.deepEqual(fieldTexts(objects), shown)
      assert.doesNotMatch(JSON.stringify(objects), /live|planted|hunter2/)
    })
  }
})

describe('plain fields have their units', () => {
  const cases: readonly (readonly [first: ServiceParts, next: ServiceParts, shown: readonly string[]])[] = [
    [
      { template: { Resources: { Limits: { MemoryBytes: 64 * 2 ** 20, NanoCPUs: 500_000_000 } } } },
      { template: { Resources: { Limits: { MemoryBytes: 2 ** 30 } } } },
      ['resources.limits.memoryBytes: 64 MiB → 1 GiB', 'resources.limits.nanoCPUs: 0.5 → (absent)'],
    ],
    [
      { template: { Placement: { Constraints: ['node.role==worker'] } } },
      { template: { Placement: { Constraints: ['node.role==manager', 'node.labels.a==b'] } } },
      ['constraints: node.role==worker → node.labels.a==b; node.role==manager'],
    ],
    [
      { spec: { UpdateConfig: { Parallelism: 1, Delay: 5_000_000_000 } } },
      { spec: { UpdateConfig: { Parallelism: 2, Delay: 5_000_000_000, Order: 'start-first' } } },
      ['updateConfig.order: (absent) → start-first', 'updateConfig.parallelism: 1 → 2'],
    ],
    [{ container: { User: '["a' } }, { container: { User: '[[]' } }, ['user: ["a → [[]']],
    [
      { container: { Hosts: ['10.0.0.1 a'] } },
      { container: { Hosts: ['10.0.0.1 a', '10.0.0.2 b'] } },
      ['hosts: 10.0.0.1 a → 10.0.0.1 a; 10.0.0.2 b'],
    ],
    [
      {},
      { container: { Ulimits: [{ Name: 'nofile', Soft: 1024, Hard: 2048 }] } },
      ['ulimits[nofile]: (absent) → hard 2048, soft 1024'],
    ],
    [
      {},
      { spec: { EndpointSpec: { Ports: [{ TargetPort: 80, PublishedPort: 8080, PublishMode: 'host' }] } } },
      ['ports[8080:80/tcp/host]: (absent) → given'],
    ],
  ]
  for (const [first, next, shown] of cases) {
    test(shown.join(', '), async () => assert.deepEqual(fieldTexts(await planned(web(first), web(next))), shown))
  }
})

test('an image whose tag names another one now', async () => {
  const [one, other] = ['a', 'b'].map((digit) => `tb/ok:1@sha256:${digit.repeat(64)}`)
  const objects = await planned(web({ container: { Image: one ?? '' } }), web({ container: { Image: other ?? '' } }))
  assert.deepEqual(fieldTexts(objects), [])
  const swarm = createMemorySwarm()
  const backend = new Backend(swarm.engine)
  swarm.publish('tb/ok:1', `sha256:${'a'.repeat(64)}`)
  await backend.deployStack(web({}), 'always')
  swarm.publish('tb/ok:1', `sha256:${'b'.repeat(64)}`)
  const now = await backend.planStack(web({}), 'always')
  assert.deepEqual(fieldTexts(differencesOf(now, [], manifestText).objects), [
    `image: ${one} → ${other} (the tag names another image now)`,
  ])
})

describe('what was changed by hand is named as such', () => {
  const first = web({
    spec: { Mode: { Replicated: { Replicas: 2 } } },
    container: { Env: ['A=one', 'B=one'], User: 'app' },
  })
  const withContainer = (spec: ServiceSpec, more: object): ServiceSpec => ({
    ...spec,
    TaskTemplate: { ...spec.TaskTemplate, ContainerSpec: { ...spec.TaskTemplate.ContainerSpec, ...more } },
  })
  const cases: readonly (readonly [
    what: string,
    byHand: (spec: ServiceSpec) => ServiceSpec,
    next: StackSpec,
    shown: readonly string[],
  ])[] = [
    [
      'scaled',
      (spec) => ({ ...spec, Mode: { Replicated: { Replicas: 5 } } }),
      first,
      ['replicas: 5 → 2 (scaled by hand)'],
    ],
    [
      'changed, added and removed',
      (spec) => withContainer(spec, { Env: ['A=live', 'C=live'] }),
      first,
      [
        'env[A]: (other) → one (changed by hand)',
        'env[B]: (absent) → one (removed by hand)',
        'env[C]: (other) → (absent) (added by hand)',
      ],
    ],
    [
      'the manifest changes another field',
      (spec) => withContainer(spec, { User: 'root' }),
      web({ spec: { Mode: { Replicated: { Replicas: 3 } } }, container: { Env: ['A=one', 'B=one'], User: 'app' } }),
      ['replicas: 2 → 3', 'user: root → app (changed by hand)'],
    ],
    [
      'somebody wrote the labels whole, as docker stack deploy does: nobody knows',
      ({ Labels: _labels, ...spec }) => ({
        ...spec,
        Labels: { 'com.docker.stack.namespace': namespace, 'com.docker.stack.image': 'tb/ok:1' },
        Mode: { Replicated: { Replicas: 5 } },
      }),
      first,
      ['replicas: 5 → 2', 'labels[com.swarmcli.owner]: (absent) → gha/acme/shop:release/shop'],
    ],
  ]
  for (const [what, byHand, next, shown] of cases) {
    test(what, async () => assert.deepEqual(fieldTexts(await planned(first, next, byHand)), shown))
  }
})

describe('which tasks are replaced', () => {
  const cases: readonly (readonly [what: string, next: ServiceParts, restarts: string])[] = [
    ['a label of the service', { spec: { Labels: { a: '1' } } }, 'none'],
    ['replicas', { spec: { Mode: { Replicated: { Replicas: 3 } } } }, 'none'],
    ['how it is updated', { spec: { UpdateConfig: { Parallelism: 2 } } }, 'none'],
    ['a label of the containers', { container: { Labels: { a: '1' } } }, 'all'],
    ['a variable', { container: { Env: ['A=1'] } }, 'all'],
    ['a port', { spec: { EndpointSpec: { Ports: [{ TargetPort: 80, PublishedPort: 8080 }] } } }, 'all'],
    ['a constraint', { template: { Placement: { Constraints: ['node.role==manager'] } } }, 'some'],
    [
      'a constraint and a variable',
      { template: { Placement: { Constraints: ['node.role==manager'] } }, container: { Env: ['A=1'] } },
      'all',
    ],
  ]
  for (const [what, next, restarts] of cases) {
    test(`${what}: ${restarts}`, async () => {
      const [service] = await planned(web({}), web(next))
      assert.equal(service?.restarts, restarts)
    })
  }

  test('of a job every write runs it again', async () => {
    const job = (labels: Readonly<Record<string, string>>) =>
      web({ spec: { Mode: { ReplicatedJob: {} }, Labels: labels } })
    const [service] = await planned(job({}), job({ a: '1' }))
    assert.equal(service?.restarts, 'all')
  })
})

test('of many fields twenty, and how many more', async () => {
  const Env = Array.from({ length: 25 }, (_, index) => `V${index}=one`)
  const [service] = await planned(web({}), web({ container: { Env } }))
  assert.deepEqual([service?.fields.length, service?.more], [20, 5])
})

test('secrets without their content, configs by size, networks that stay as they are', async () => {
  const stack = (secret: string, config: string, isInternal: boolean): StackSpec =>
    aStackSpec(namespace, {
      networks: [aNetworkObject(namespace, 'front', { Internal: isInternal })],
      secrets: [aFileObject(namespace, 'key', secret), aFileObject(namespace, 'same', 'planted')],
      configs: [aFileObject(namespace, 'conf', config)],
      services: [aServiceObject(namespace, 'web')],
    })
  const objects = await planned(stack('planted one', 'short', false), stack('planted two', 'longer', true))
  const [network, secret, config, ...others] = objects
  assert.deepEqual(others, [])
  assert.deepEqual(
    [network?.action, network?.notes],
    ['none', ["it has other settings than the manifest (internal), and stays: a network can't be changed"]],
  )
  assert.match(secret?.name ?? '', /^shop_key-[0-9a-f]{8}$/)
  assert.deepEqual(
    [secret?.action, secret?.fields, secret?.notes],
    ['rotate', [], ['the content has changed: it takes the place of shop_key']],
  )
  assert.deepEqual(fieldTexts([config ?? assert.fail()]), ['content: 5 bytes → 6 bytes'])
  assert.doesNotMatch(JSON.stringify(objects), /planted|cGxhbnRlZ/)
  // Who has a digest can try out which short password a variable has put into it.
  const [, same] = await planned(stack('planted one', 'short', false), stack('planted two', 'other', false))
  assert.deepEqual(fieldTexts([same ?? assert.fail()]), ['content: 5 bytes → 5 bytes, but other ones'])
})

describe('whether the content of a secret has changed', () => {
  const secret = (spec: Partial<SecretSpec>, content?: string) => {
    const object = aFileObject(namespace, 'key', content ?? 'planted')
    const { Data, ...rest } = object.spec
    return { ...object, spec: { ...rest, ...(content !== undefined && { Data }), ...spec } }
  }
  const labels = (spec: Partial<SecretSpec>): Partial<SecretSpec> => ({
    ...spec,
    Labels: { 'com.docker.stack.namespace': namespace, tier: 'one' },
  })
  const vault = { Driver: { Name: 'vault' } }
  const template = { Templating: { Name: 'golang' } }
  type Kept = ReturnType<typeof secret>
  const cases: readonly (readonly [what: string, first: Kept | undefined, next: Kept, notes: readonly string[]])[] = [
    ['a new one', undefined, secret({}, 'planted'), []],
    ['a new one of a driver', undefined, secret(vault), []],
    ['a new template', undefined, secret(template, 'planted'), []],
    ['the same', secret({}, 'planted'), secret(labels({}), 'planted'), ['the content is unchanged']],
    [
      'another one',
      secret({}, 'planted'),
      secret({}, 'planted two'),
      ['the content has changed: it takes the place of shop_key'],
    ],
    [
      "a driver's: nobody knows",
      secret(vault),
      secret(labels(vault)),
      ['its driver makes the content: nobody can tell whether that has changed'],
    ],
    [
      'the same template',
      secret(template, 'planted'),
      secret(labels(template), 'planted'),
      ['the template is unchanged'],
    ],
  ]
  for (const [what, first, next, notes] of cases) {
    test(what, async () => {
      const stack = (one?: Kept): StackSpec => aStackSpec(namespace, { secrets: one === undefined ? [] : [one] })
      const [shown] = await planned(stack(first), stack(next))
      assert.deepEqual([shown?.kind, shown?.notes], ['secret', notes])
    })
  }
})

test('a volume that docker keeps as it is', async () => {
  const stack = (device: string): StackSpec => {
    const Labels = { 'com.docker.stack.namespace': namespace }
    const VolumeOptions = { Labels, DriverConfig: { Options: { device } } }
    return web({ container: { Mounts: [{ Type: 'volume', Source: 'shop_data', Target: '/d', VolumeOptions }] } })
  }
  const [volume, service, ...others] = await planned(stack(':/a'), stack(':/b'))
  assert.deepEqual(
    [volume?.kind, volume?.name, volume?.action, volume?.notes],
    [
      'volume',
      'shop_data',
      'none',
      [
        'it gets other settings (option device), but where it exists it stays: remove it by hand, or give it another name',
      ],
    ],
  )
  assert.deepEqual([service?.restarts, others], ['all', []])
  assert.deepEqual(await planned(stack(':/a'), stack(':/a')), [])
})

test('what the manifest does not have any more is named, and whether it goes', async () => {
  const swarm = createMemorySwarm()
  const plan = await new Backend(swarm.engine).planStack(web({}), 'never')
  const left = { kind: 'service', name: 'shop_old', isRemoved: true, note: 'it left' } as const
  const shown = differencesOf(plan, [left, { ...left, name: 'shop_kept', isRemoved: false }], manifestText).objects
  assert.deepEqual(
    shown.slice(1).map(({ name, action, notes }) => [name, action, notes]),
    [
      ['shop_old', 'remove', ['it left']],
      ['shop_kept', 'none', ['it left']],
    ],
  )
})
