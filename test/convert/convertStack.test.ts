import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service, Stack } from '../../src/compose/stack.ts'
import { convertStack } from '../../src/convert/convertStack.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import type { ServiceSpec } from '../../src/swarm/service.ts'
import {
  aFile,
  aMount,
  aNetwork,
  anUpdate,
  aPort,
  aReference,
  aService,
  aStack,
  at,
  aVolume,
} from '../support/stackValues.ts'

function specOf(stack: Stack): StackSpec {
  const { spec, problems } = convertStack(stack, 'shop')
  assert.deepEqual(
    problems.filter(({ severity }) => severity === 'error'),
    [],
  )
  assert.ok(spec)
  return spec
}

function serviceSpec(service: Service, parts: Partial<Stack> = {}): ServiceSpec {
  const [converted] = specOf(aStack({ services: [service], ...parts })).services
  assert.ok(converted)
  return converted.spec
}

function container(service: Service, parts: Partial<Stack> = {}) {
  const { ContainerSpec } = serviceSpec(service, parts).TaskTemplate
  assert.ok(ContainerSpec)
  return ContainerSpec
}

test('services whose profiles are not active keep their names in the swarm', () => {
  const services = [aService()]
  assert.deepEqual(specOf(aStack({ services, inactive: ['debug'] })).inactive, ['shop_debug'])
  assert.equal('inactive' in specOf(aStack({ services })), false)
})

test('an external secret that no service uses is known by its name, and not asked of the swarm', () => {
  const idle = aFile(undefined, { external: true, name: 'ci-key' })
  const { secrets, secretsAside } = specOf(
    aStack({
      services: [aService({ secrets: [aReference('token')] })],
      secrets: new Map([
        ['token', aFile(undefined, { external: true, name: 'token' })],
        ['idle', idle],
      ]),
    }),
  )
  assert.deepEqual(
    secrets.map(({ key }) => key),
    ['token'],
  )
  assert.deepEqual(secretsAside, [{ key: 'idle', name: 'ci-key', position: idle.place }])
})

test('the smallest service is, byte for byte, what docker 28.2.2 sends', () => {
  assert.equal(
    JSON.stringify(serviceSpec(aService())),
    '{"Name":"shop_web","Labels":{"com.docker.stack.image":"nginx","com.docker.stack.namespace":"shop"},' +
      '"TaskTemplate":{"ContainerSpec":{"Image":"nginx:latest","Labels":{"com.docker.stack.namespace":"shop"},' +
      '"Privileges":{"CredentialSpec":null,"SELinuxContext":null,"NoNewPrivileges":false}},"Resources":{},"Placement":{},' +
      '"Networks":[{"Target":"shop_default","Aliases":["web"]}],"ForceUpdate":0},"Mode":{"Replicated":{}},"EndpointSpec":{}}',
  )
})

test('the default network is made although nobody declares it', () => {
  const { networks } = specOf(aStack({ services: [aService()] }))
  assert.equal(
    JSON.stringify(networks.map((network) => !network.external && network.spec)),
    '[{"Driver":"overlay","Scope":"","IPAM":null,"Internal":false,"Attachable":false,"Ingress":false,"ConfigOnly":false,' +
      '"ConfigFrom":null,"Options":null,"Labels":{"com.docker.stack.namespace":"shop"},"Name":"shop_default"}]',
  )
})

test('services, networks, secrets and configs come sorted by name', () => {
  const spec = specOf(
    aStack({
      services: [
        aService({ name: 'b', networks: new Map([['z', null]]) }),
        aService({ name: 'a', networks: new Map([['y', null]]) }),
      ],
      networks: new Map([
        ['z', aNetwork()],
        ['unused', aNetwork()],
        ['y', aNetwork({ name: 'other' })],
      ]),
      secrets: new Map([
        ['t', aFile('1')],
        ['s', aFile('2')],
      ]),
      configs: new Map([
        ['d', aFile('3', { name: 'own' })],
        ['c', aFile('4')],
      ]),
    }),
  )
  assert.deepEqual(
    spec.services.map(({ name }) => name),
    ['shop_a', 'shop_b'],
  )
  assert.deepEqual(
    spec.networks.map(({ key, name }) => `${key} ${name}`),
    ['y other', 'z shop_z'],
  )
  assert.deepEqual(
    spec.secrets.map(({ name }) => name),
    ['shop_s', 'shop_t'],
  )
  assert.deepEqual(
    spec.configs.map(({ key, name }) => `${key} ${name}`),
    ['c shop_c', 'd own'],
  )
})

test('external objects are listed where a service uses them, and only then', () => {
  const external = { external: true, name: 'theirs' }
  const spec = specOf(
    aStack({
      services: [
        aService({
          networks: new Map([
            ['net', null],
            ['machine', null],
          ]),
          secrets: [aReference('sec')],
          credentialSpec: { config: 'cred', file: '', registry: '' },
        }),
      ],
      networks: new Map([
        ['net', aNetwork(external)],
        ['machine', aNetwork({ external: true, name: 'host' })],
      ]),
      secrets: new Map([
        ['sec', aFile(undefined, external)],
        ['unused', aFile(undefined, external)],
      ]),
      configs: new Map([
        ['cred', aFile(undefined, external)],
        ['unused', aFile(undefined, external)],
      ]),
    }),
  )
  const listed = [...spec.networks, ...spec.secrets, ...spec.configs]
  assert.deepEqual(
    listed.map(({ key, name, external: theirs }) => [key, name, theirs]),
    [
      ['net', 'theirs', true],
      ['sec', 'theirs', true],
      ['cred', 'theirs', true],
    ],
  )
  const { TaskTemplate } = spec.services[0]?.spec ?? {}
  assert.deepEqual(TaskTemplate?.Networks, [{ Target: 'host' }, { Target: 'theirs', Aliases: ['web'] }])
  assert.deepEqual(TaskTemplate?.ContainerSpec?.Configs, [{ Runtime: {}, ConfigID: '', ConfigName: 'theirs' }])
})

test('labels: the stack has the last word on its own', () => {
  const stolen = new Map([
    ['com.docker.stack.namespace', 'theirs'],
    ['com.docker.stack.image', 'theirs'],
    ['b', '2'],
    ['__proto__', 'kept'],
  ])
  const spec = serviceSpec(aService({ labels: stolen, deploy: { labels: stolen } }))
  assert.equal(
    JSON.stringify(spec.Labels),
    '{"__proto__":"kept","b":"2","com.docker.stack.image":"nginx","com.docker.stack.namespace":"shop"}',
  )
  assert.equal(
    JSON.stringify(spec.TaskTemplate.ContainerSpec?.Labels),
    '{"__proto__":"kept","b":"2","com.docker.stack.image":"theirs","com.docker.stack.namespace":"shop"}',
  )
})

test('values that a double cannot hold stay exact', () => {
  const huge = 2n ** 63n
  const odd = 2n ** 53n + 1n
  const spec = serviceSpec(
    aService({
      stopGracePeriod: odd,
      oomScoreAdj: -500,
      healthcheck: { test: ['CMD', 'true'], interval: odd, disable: false },
      ulimits: new Map([['nofile', { soft: odd, hard: huge }]]),
      volumes: [aMount('tmpfs', '', '/x', { tmpfs: { size: odd } })],
      deploy: {
        replicas: huge,
        updateConfig: anUpdate({ delay: odd, monitor: odd }),
        resources: { limits: { nanoCpus: odd, memoryBytes: odd, pids: odd } },
        restartPolicy: { condition: '', maxAttempts: huge, delay: odd, window: odd },
      },
    }),
  )
  const { TaskTemplate: task } = spec
  assert.equal(task.ContainerSpec?.StopGracePeriod, odd)
  assert.equal(task.ContainerSpec?.OomScoreAdj, -500)
  assert.equal(task.ContainerSpec?.Healthcheck?.Interval, odd)
  assert.deepEqual(task.ContainerSpec?.Ulimits, [{ Name: 'nofile', Hard: huge, Soft: odd }])
  assert.equal(task.ContainerSpec?.Mounts?.[0]?.TmpfsOptions?.SizeBytes, odd)
  assert.equal(spec.Mode?.Replicated?.Replicas, huge)
  assert.equal(spec.UpdateConfig?.Delay, odd)
  assert.equal(spec.UpdateConfig?.Monitor, odd)
  assert.deepEqual(task.Resources?.Limits, { NanoCPUs: odd, MemoryBytes: odd, Pids: odd })
  assert.deepEqual(task.RestartPolicy, { Delay: odd, MaxAttempts: huge, Window: odd })
})

test('environment, hosts, DNS, ulimits and sysctls of a container', () => {
  const spec = container(
    aService({
      environment: new Map([
        ['B', '2'],
        ['A', null],
        ['\uFFFD', ''],
        ['\u{1F600}', ''],
      ]),
      extraHosts: ['db:10.0.0.1', 'six:::1'],
      dnsGiven: true,
      sysctls: new Map([['net.core.somaxconn', '1024']]),
      init: false,
    }),
  )
  assert.deepEqual(spec.Env, ['A', 'B=2', '\uFFFD=', '\u{1F600}='])
  assert.deepEqual(spec.Hosts, ['10.0.0.1 db', '::1 six'])
  assert.deepEqual(spec.DNSConfig, {})
  assert.deepEqual(spec.Sysctls, { 'net.core.somaxconn': '1024' })
  assert.equal(spec.Init, false)
})

// The expectations of this table and the next were taken from the docker CLI 28.2.2.
test('capabilities', () => {
  const table: readonly [add: string[], drop: string[], added: string[] | undefined, dropped: string[] | undefined][] =
    [
      [['all', 'net_admin'], ['chown'], ['ALL'], ['CAP_CHOWN']],
      [['net_admin'], ['ALL'], ['CAP_NET_ADMIN'], ['ALL']],
      [['RESET', 'x'], ['RESET'], ['CAP_X'], undefined],
      [[' x '], ['CAP_X', 'y'], ['CAP_X'], ['CAP_Y']],
      [['ALL'], ['ALL', 'x'], ['ALL'], undefined],
      [['sys_time', 'chown', 'CAP_CHOWN'], [], ['CAP_CHOWN', 'CAP_SYS_TIME'], undefined],
    ]
  for (const [capAdd, capDrop, added, dropped] of table) {
    const spec = container(aService({ capAdd, capDrop }))
    assert.deepEqual([spec.CapabilityAdd, spec.CapabilityDrop], [added, dropped], JSON.stringify([capAdd, capDrop]))
  }
})

test('the old restart key, where deploy.restart_policy is absent', () => {
  const table: readonly [restart: string, policy: unknown][] = [
    ['', undefined],
    ['no', undefined],
    ['no:3', undefined],
    ['always', { Condition: 'any' }],
    ['always:5', { Condition: 'any' }],
    ['unless-stopped', { Condition: 'any' }],
    ['on-failure', { Condition: 'on-failure', MaxAttempts: 0 }],
    ['on-failure:', { Condition: 'on-failure', MaxAttempts: 0 }],
    ['on-failure:+3', { Condition: 'on-failure', MaxAttempts: 3 }],
    ['on-failure:-1', { Condition: 'on-failure', MaxAttempts: 18446744073709551615n }],
  ]
  for (const [restart, policy] of table) {
    assert.deepEqual(serviceSpec(aService({ restart })).TaskTemplate.RestartPolicy, policy, restart)
  }
  const both = aService({ restart: 'always', deploy: { restartPolicy: { condition: '' } } })
  assert.deepEqual(serviceSpec(both).TaskTemplate.RestartPolicy, {})
})

test('modes', () => {
  const table: readonly [mode: string, replicas: number | undefined, sent: unknown][] = [
    ['', undefined, { Replicated: {} }],
    ['replicated', 0, { Replicated: { Replicas: 0 } }],
    ['global', undefined, { Global: {} }],
    ['replicated-job', undefined, { ReplicatedJob: {} }],
    ['replicated-job', 3, { ReplicatedJob: { MaxConcurrent: 3, TotalCompletions: 3 } }],
    ['global-job', undefined, { GlobalJob: {} }],
  ]
  for (const [mode, replicas, sent] of table) {
    assert.deepEqual(serviceSpec(aService({ deploy: { mode, replicas } })).Mode, sent, mode)
  }
})

test('update and rollback blocks: one at a time by default, float32 as Go prints it', () => {
  const ratios: readonly [written: number, sent: number][] = [
    [0.1, 0.1],
    [0.30000001192092896, 0.3],
    [1e-7, 1e-7],
    [0.123456789, 0.12345679],
    [1, 1],
  ]
  for (const [maxFailureRatio, sent] of ratios) {
    const spec = serviceSpec(aService({ deploy: { updateConfig: anUpdate({ maxFailureRatio }) } }))
    assert.deepEqual(spec.UpdateConfig, { Parallelism: 1, MaxFailureRatio: sent, Order: '' })
    assert.equal(spec.RollbackConfig, undefined)
  }
  const rollbackConfig = anUpdate({ parallelism: 0, delay: 5, failureAction: 'pause', order: 'start-first' })
  assert.deepEqual(serviceSpec(aService({ deploy: { rollbackConfig } })).RollbackConfig, {
    Parallelism: 0,
    Delay: 5,
    FailureAction: 'pause',
    MaxFailureRatio: 0,
    Order: 'start-first',
  })
})

test('a healthcheck is sent where its block is', () => {
  const off = { test: [], disable: true, interval: 5 }
  const empty = { test: [], disable: false, interval: 0, retries: 0 }
  assert.equal(container(aService()).Healthcheck, undefined)
  assert.deepEqual(container(aService({ healthcheck: off })).Healthcheck, { Test: ['NONE'] })
  assert.deepEqual(container(aService({ healthcheck: empty })).Healthcheck, {})
})

test('resources, placement and logging appear as their blocks do', () => {
  const reservations = { nanoCpus: 0, memoryBytes: 0, genericResources: [{ kind: 'gpu', value: 2 }] }
  const { TaskTemplate: task } = serviceSpec(
    aService({
      logging: { driver: '', options: new Map([['max-size', '']]) },
      deploy: {
        resources: { limits: { nanoCpus: 0, memoryBytes: 0, pids: 0 }, reservations },
        placement: { constraints: ['node.role == manager'], preferences: ['node.labels.dc'], maxReplicasPerNode: 2 },
      },
    }),
  )
  assert.deepEqual(task.Resources, {
    Limits: {},
    Reservations: { GenericResources: [{ DiscreteResourceSpec: { Kind: 'gpu', Value: 2 } }] },
  })
  assert.deepEqual(task.Placement, {
    Constraints: ['node.role == manager'],
    Preferences: [{ Spread: { SpreadDescriptor: 'node.labels.dc' } }],
    MaxReplicas: 2,
  })
  assert.deepEqual(task.LogDriver, { Options: { 'max-size': '' } })
})

test('ports are sorted by what they publish, else as written', () => {
  const ports = [
    aPort(90),
    aPort(80, { protocol: 'udp' }),
    aPort(80, { protocol: 'tcp', target: 8080 }),
    aPort(0, { mode: '', protocol: '', target: 9 }),
  ]
  assert.deepEqual(serviceSpec(aService({ ports, deploy: { endpointMode: 'VIP' } })).EndpointSpec, {
    Mode: 'vip',
    Ports: [
      { TargetPort: 9 },
      { Protocol: 'udp', TargetPort: 80, PublishedPort: 80, PublishMode: 'ingress' },
      { Protocol: 'tcp', TargetPort: 8080, PublishedPort: 80, PublishMode: 'ingress' },
      { Protocol: 'tcp', TargetPort: 80, PublishedPort: 90, PublishMode: 'ingress' },
    ],
  })
})

test('networks of a service: the name of the service is always the last alias, targets are sorted', () => {
  const web = aService({
    networks: new Map([
      ['front', { aliases: ['www', 'web'], driverOpts: new Map([['o', '1']]) }],
      ['back', null],
    ]),
  })
  const networks = new Map([
    ['front', aNetwork()],
    ['back', aNetwork({ name: 'zzz' })],
  ])
  assert.deepEqual(serviceSpec(web, { networks }).TaskTemplate.Networks, [
    { Target: 'shop_front', Aliases: ['www', 'web', 'web'], DriverOpts: { o: '1' } },
    { Target: 'zzz', Aliases: ['web'] },
  ])
})

test('a network definition', () => {
  const definition = aNetwork({
    driver: 'weave',
    driverOpts: new Map([['encrypted', '']]),
    ipam: { driver: '', subnets: ['10.1.0.0/16'] },
    internal: true,
    attachable: true,
    labels: new Map([['a', 'b']]),
  })
  const { networks } = specOf(
    aStack({ services: [aService({ networks: new Map([['n', null]]) })], networks: new Map([['n', definition]]) }),
  )
  const [network] = networks
  assert.ok(network && !network.external)
  assert.deepEqual(network.spec, {
    Driver: 'weave',
    Scope: '',
    IPAM: { Driver: '', Options: null, Config: [{ Subnet: '10.1.0.0/16' }] },
    Internal: true,
    Attachable: true,
    Ingress: false,
    ConfigOnly: false,
    ConfigFrom: null,
    Options: { encrypted: '' },
    Labels: { a: 'b', 'com.docker.stack.namespace': 'shop' },
    Name: 'shop_n',
  })
})

test('mounts, in the order of the manifest', () => {
  const mine = { 'com.docker.stack.namespace': 'shop' }
  const volumes = new Map([
    ['data', aVolume({ driver: 'nfs', driverOpts: new Map([['o', 'x']]), labels: new Map([['a', 'b']]) })],
    ['theirs', aVolume({ external: true, name: 'shared' })],
  ])
  const table: readonly [mount: Service['volumes'][number], sent: unknown][] = [
    [
      aMount('volume', 'data', '/a', { volume: { nocopy: true, subpath: 's' }, readOnly: true }),
      {
        Type: 'volume',
        Source: 'shop_data',
        Target: '/a',
        ReadOnly: true,
        VolumeOptions: {
          NoCopy: true,
          Labels: { a: 'b', ...mine },
          Subpath: 's',
          DriverConfig: { Name: 'nfs', Options: { o: 'x' } },
        },
      },
    ],
    [
      aMount('volume', 'theirs', '/b', { consistency: 'cached' }),
      { Type: 'volume', Source: 'shared', Target: '/b', Consistency: 'cached', VolumeOptions: {} },
    ],
    [aMount('volume', '', '/c', { volume: { nocopy: true, subpath: '' } }), { Type: 'volume', Target: '/c' }],
    [aMount('', '', '/d'), { Target: '/d' }],
    [
      aMount('bind', '/srv', '/e', { bind: { propagation: '' } }),
      { Type: 'bind', Source: '/srv', Target: '/e', BindOptions: {} },
    ],
    [aMount('tmpfs', '', '/f', { tmpfs: { size: 0 } }), { Type: 'tmpfs', Target: '/f', TmpfsOptions: {} }],
    [
      aMount('npipe', '\\\\.\\pipe\\x', '\\\\.\\pipe\\y', { bind: { propagation: 'shared' } }),
      { Type: 'npipe', Source: '\\\\.\\pipe\\x', Target: '\\\\.\\pipe\\y', BindOptions: { Propagation: 'shared' } },
    ],
    [
      aMount('image', 'alpine', '/g', { image: { subpath: 'etc' } }),
      { Type: 'image', Source: 'alpine', Target: '/g', ImageOptions: { Subpath: 'etc' } },
    ],
    [
      aMount('cluster', 'group:fast', '/h'),
      { Type: 'cluster', Source: 'group:fast', Target: '/h', ClusterOptions: {} },
    ],
    [aMount('cluster', 'data', '/i'), { Type: 'cluster', Source: 'shop_data', Target: '/i', ClusterOptions: {} }],
  ]
  const spec = container(aService({ volumes: table.map(([mount]) => mount) }), { volumes })
  assert.deepEqual(
    spec.Mounts,
    table.map(([, sent]) => sent),
  )
})

test('a relative bind source can be placed on the nodes', () => {
  const volumes = [aMount('bind', '/runner/checkout/conf', '/etc/x', { writtenSource: './a/../conf' })]
  const stack = aStack({ services: [aService({ volumes })] })
  const placed = convertStack(stack, 'shop', { bindRoot: '/srv/shop' })
  assert.equal(placed.spec?.services[0]?.spec.TaskTemplate.ContainerSpec?.Mounts?.[0]?.Source, '/srv/shop/conf')
  assert.deepEqual(placed.problems, [])
})

test('secrets and configs: content, driver and template', () => {
  const spec = specOf(
    aStack({
      secrets: new Map([
        ['plain', aFile('hi')],
        ['driven', aFile(undefined, { driver: 'vault', driverOpts: new Map([['k', 'v']]) })],
      ]),
      configs: new Map([['page', aFile('hi', { templateDriver: 'golang', labels: new Map([['a', 'b']]) })]]),
    }),
  )
  const Labels = { 'com.docker.stack.namespace': 'shop' }
  assert.deepEqual(
    [...spec.secrets, ...spec.configs].map((object) => !object.external && object.spec),
    [
      { Name: 'shop_driven', Labels, Driver: { Name: 'vault', Options: { k: 'v' } } },
      { Name: 'shop_plain', Labels, Data: 'aGk=' },
      { Name: 'shop_page', Labels: { a: 'b', ...Labels }, Data: 'aGk=', Templating: { Name: 'golang' } },
    ],
  )
})

test('references to secrets: defaults, and an order that never changes', () => {
  const secrets = new Map([
    ['b', aFile('1')],
    ['a', aFile('2', { name: 'zz' })],
  ])
  const references = [
    aReference('a'),
    aReference('b', { target: 'second', uid: '1000', gid: '1000', mode: 0o400 }),
    aReference('b', { target: 'first' }),
  ]
  const file = (Name: string, UID = '0', Mode = 0o444) => ({ Name, UID, GID: UID, Mode })
  assert.deepEqual(container(aService({ secrets: references }), { secrets }).Secrets, [
    { File: file('first'), SecretID: '', SecretName: 'shop_b' },
    { File: file('second', '1000', 0o400), SecretID: '', SecretName: 'shop_b' },
    { File: file('a'), SecretID: '', SecretName: 'zz' },
  ])
})

test('places of list items are numbered as in the spec', () => {
  const web = aService({
    ports: [aPort(90, { place: at(5) }), aPort(80, { place: at(6) })],
    secrets: [aReference('b', { place: at(7) }), aReference('a', { place: at(8) })],
    configs: [aReference('c', { place: at(9) })],
    credentialSpec: { config: 'a', file: '', registry: '' },
    volumes: [aMount('tmpfs', '', '/x', { place: at(11) }), aMount('volume', 'data', '/d', { place: at(12) })],
    places: { service: at(2), image: at(3) },
  })
  const volumes = new Map([['data', aVolume({ place: at(13) })]])
  const files = new Map(['a', 'b', 'c'].map((key) => [key, aFile('x')]))
  const [service] = specOf(aStack({ services: [web], volumes, secrets: files, configs: files })).services
  assert.deepEqual(service?.places, {
    service: at(2),
    image: at(3),
    'ports.0': at(6),
    'ports.1': at(5),
    'volumes.0': at(11),
    'volumes.1': at(12),
    'volumeDefinitions.1': at(13),
    'secrets.0': at(8),
    'secrets.1': at(7),
    'configs.1': at(9),
  })
})

test('what the Compose Specification has beyond the docker CLI, and Swarm too', () => {
  const pool = {
    subnet: '10.1.0.0/16',
    ipRange: '10.1.2.0/24',
    gateway: '10.1.0.1',
    auxAddresses: new Map([['a', '10.1.0.2']]),
  }
  const { services, networks } = specOf(
    aStack({
      services: [
        aService({
          groupAdd: ['1000'],
          dnsOptions: ['ndots:2'],
          ports: [aPort(80, { name: 'http' })],
          volumes: [aMount('tmpfs', '', '/x', { tmpfs: { size: 0, mode: 0o700 } })],
          networks: new Map([['n', null]]),
        }),
      ],
      networks: new Map([
        [
          'n',
          aNetwork({
            enableIpv6: true,
            ipam: { driver: '', subnets: [], pools: [pool], options: new Map([['o', '1']]) },
          }),
        ],
      ]),
    }),
  )
  const { TaskTemplate, EndpointSpec } = services[0]?.spec ?? {}
  assert.deepEqual(TaskTemplate?.ContainerSpec?.Groups, ['1000'])
  assert.deepEqual(TaskTemplate?.ContainerSpec?.DNSConfig, { Options: ['ndots:2'] })
  assert.deepEqual(TaskTemplate?.ContainerSpec?.Mounts?.[0]?.TmpfsOptions, { Mode: 0o700 })
  assert.equal(EndpointSpec?.Ports?.[0]?.Name, 'http')
  const [network] = networks
  assert.ok(network && !network.external)
  assert.equal(network.spec.EnableIPv6, true)
  assert.deepEqual(network.spec.IPAM, {
    Driver: '',
    Options: { o: '1' },
    Config: [
      { Subnet: '10.1.0.0/16', IPRange: '10.1.2.0/24', Gateway: '10.1.0.1', AuxiliaryAddresses: { a: '10.1.0.2' } },
    ],
  })
})
