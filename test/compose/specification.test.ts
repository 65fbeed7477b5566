// What the Compose Specification has beyond the docker CLI: translated, or ignored with one warning that says so.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { ignoredRules } from '../../src/compose/ignoredKeys.ts'
import type { Service } from '../../src/compose/stack.ts'
import { loadTexts, problemLines, saidOf, serviceOf } from '../support/composeFiles.ts'

test('the name of the stack: the last file that has one counts, and an emptied one is not passed over', () => {
  const named = (...texts: readonly string[]) => loadTexts(texts, { variables: { STAGE: 'test' } }).stack?.name
  assert.equal(named('services: {}'), undefined)
  assert.equal(named('name: shop\nservices: {}', 'services: {}'), 'shop')
  assert.equal(named('name: shop', 'name: "shop-${STAGE}"'), 'shop-test')
  assert.equal(named('name: "${GONE}"'), '')
  assert.deepEqual(problemLines(loadTexts(['name: 1'])), [
    'error 1.yml:1:7 name must be a string, but it is the integer 1',
  ])
})

test('depends_on is read as a list and as a mapping, and merged by the services that it names', () => {
  assert.deepEqual(saidOf('depends_on: {x: {condition: service_healthy, restart: true, required: false}, y: }'), [
    'warning 4:50 "restart" is ignored: a service is restarted only by a change of its own',
  ])
  const { stack } = loadTexts([
    'services: {a: {image: x, depends_on: [c, b]}}',
    'services: {a: {depends_on: {b: {condition: service_healthy, required: false}, d: {}}}}',
  ])
  assert.deepEqual(
    stack?.services[0]?.dependsOn?.map(({ service, condition, required }) => [service, condition, required]),
    [
      ['b', 'service_healthy', false],
      ['c', '', true],
      ['d', '', true],
    ],
  )
})

const profiled = `services:
  a: {image: x}
  b: {image: x, profiles: [debug, test]}
  c: {image: x, profiles: ["\${P}"]}
`

test('services of profiles that are not active are left out, which is said once', () => {
  const result = loadTexts([profiled], { variables: { P: 'ci' } })
  assert.deepEqual(
    result.stack?.services.map(({ name }) => name),
    ['a'],
  )
  assert.deepEqual(problemLines(result), [
    'warning 1.yml:3:17 "profiles": these services are left out, as none of the profiles is active: b, c',
  ])
  assert.deepEqual(result.stack?.inactive, ['b', 'c'])
  for (const [active, names] of [
    ['test', ['a', 'b']],
    ['ci, debug', ['a', 'b', 'c']],
    ['*', ['a', 'b', 'c']],
  ] as const) {
    const { stack } = loadTexts([profiled], { variables: { P: 'ci', COMPOSE_PROFILES: active } })
    assert.deepEqual(
      stack?.services.map(({ name }) => name),
      names,
    )
  }
})

/** What the service has after each body. */
const translated: readonly (readonly [body: string, read: (service: Service) => unknown, value: unknown])[] = [
  ['mem_limit: 64m', ({ deploy }) => deploy.resources.limits?.memoryBytes, 64 * 1024 * 1024],
  ['mem_limit: 67108864', ({ deploy }) => deploy.resources.limits?.memoryBytes, 67108864],
  ['cpus: 0.5', ({ deploy }) => deploy.resources.limits?.nanoCpus, 500_000_000],
  ['cpus: "${CPUS}"', ({ deploy }) => deploy.resources.limits?.nanoCpus, 1_500_000_000],
  ['cpu_quota: 25000', ({ deploy }) => deploy.resources.limits?.nanoCpus, 250_000_000],
  ['cpu_quota: "25000"\ncpu_period: 50000', ({ deploy }) => deploy.resources.limits?.nanoCpus, 500_000_000],
  ['pids_limit: 100', ({ deploy }) => deploy.resources.limits?.pids, 100],
  ['pids_limit: -1', ({ deploy }) => deploy.resources.limits?.pids, 0],
  ['mem_reservation: 8m', ({ deploy }) => deploy.resources.reservations?.memoryBytes, 8 * 1024 * 1024],
  ['scale: 3', ({ deploy }) => deploy.replicas, 3],
  ['scale: 2\ndeploy: {replicas: 2}', ({ deploy }) => deploy.replicas, 2],
  [
    'mem_limit: 64m\ndeploy: {resources: {limits: {cpus: 1}, reservations: {memory: 8m}}}',
    ({ deploy }) => [deploy.resources.limits, deploy.resources.reservations?.memoryBytes],
    [{ nanoCpus: 1_000_000_000, memoryBytes: 64 * 1024 * 1024, pids: 0 }, 8 * 1024 * 1024],
  ],
  ['deploy: {resources: {reservations: {cpus: 0.25}}}', ({ deploy }) => deploy.resources.reservations?.nanoCpus, 25e7],
  ['environment: {A: true, B: False}', ({ environment }) => [...environment.values()], ['true', 'false']],
  ['labels: {A: true}', ({ labels }) => labels.get('A'), 'true'],
  ['command:\nentrypoint:', ({ command, entrypoint }) => [command, entrypoint], [[], []]],
  ['secrets: [{source: s, mode: "0440"}]', ({ secrets }) => secrets[0]?.mode, 0o440],
  ['group_add: [mail, 5]', ({ groupAdd }) => groupAdd, ['mail', '5']],
  [
    'extra_hosts: {h: [10.0.0.1, "::1"], g: 10.0.0.2}',
    ({ extraHosts }) => extraHosts,
    ['g:10.0.0.2', 'h:10.0.0.1', 'h:::1'],
  ],
  ['dns_opt: [use-vc]', ({ dnsOptions }) => dnsOptions, ['use-vc']],
  [
    'platform: linux/arm64/v8',
    ({ deploy }) => deploy.placement.constraints,
    ['node.platform.os==linux', 'node.platform.arch==aarch64'],
  ],
  ['platform: windows', ({ deploy }) => deploy.placement.constraints, ['node.platform.os==windows']],
  [
    'label_file: l.env\nlabels: {B: own}',
    ({ labels }) => [...labels],
    [
      ['A', '1'],
      ['B', 'own'],
    ],
  ],
  [
    'volumes: [{type: tmpfs, target: /t, tmpfs: {size: 1m, mode: 01777}}]',
    ({ volumes }) => volumes[0]?.tmpfs,
    { size: 1048576, mode: 0o1777 },
  ],
  ['volumes: [{type: tmpfs, target: /t, tmpfs: {mode: "0700"}}]', ({ volumes }) => volumes[0]?.tmpfs?.mode, 0o700],
  [
    'volumes: [{type: image, source: i, target: /t, image: {subpath: a}}]',
    ({ volumes }) => volumes[0]?.image,
    { subpath: 'a' },
  ],
  [
    'volumes: [{type: volume, source: v, target: /t, volume: {subpath: a}}]',
    ({ volumes }) => volumes[0]?.volume,
    { nocopy: false, subpath: 'a' },
  ],
]

for (const [body, read, value] of translated) {
  test(`translated: ${body}`, () => {
    const options = { variables: { CPUS: '1.5' }, beside: { 'l.env': 'A=1\nB=file\n' } }
    assert.deepEqual(read(serviceOf(body, options)), value)
    assert.deepEqual(saidOf(body, options), [])
  })
}

for (const [published, ports] of [
  ['"8080"', [8080]],
  ['"${P}"', [81, 82, 83]],
  ['"8080-8081"', [8080, 8081]],
  ['""', [0]],
] as const) {
  test(`a long port that publishes ${published}`, () => {
    const body = `ports: [{target: 80, published: ${published}, name: web, host_ip: 0.0.0.0}]`
    const { ports: found } = serviceOf(body, { variables: { P: '81-83' } })
    assert.deepEqual(
      found.map((port) => [port.published, port.target, port.name]),
      ports.map((port) => [port, 80, 'web']),
    )
    assert.deepEqual(saidOf(body, { variables: { P: '81-83' } }), [])
  })
}

/** What is said, and first whether it deploys. */
const told: readonly (readonly [body: string, said: string])[] = [
  [
    'mem_limit: 64m\ndeploy: {resources: {limits: {memory: 1g}}}',
    'error 4:16 "mem_limit" says something else than "deploy.resources.limits.memory"',
  ],
  ['scale: 2\ndeploy: {replicas: 0}', 'error 4:12 "scale" says something else than "deploy.replicas"'],
  ['scale: -1', 'error 4:12 scale must be between 0 and 9223372036854775807, not -1'],
  [
    'volumes: [{type: tmpfs, target: /t, tmpfs: {mode: rw}}]',
    'warning 4:55 the mode "rw" is ignored: it is no file mode',
  ],
  ['secrets: [{source: s, mode: rw}]', 'error 4:33 mode: "rw" is no file mode'],
  [
    'devices: [{source: /dev/a, target: /dev/a, permissions: rw}]',
    'warning 4:5 "devices" is ignored: the containers get no devices',
  ],
  ['shm_size: 64', 'warning 4:5 "shm_size" is ignored: /dev/shm has its default size'],
  ['gpus: some', 'error 4:11 services.a.gpus must be all, not "some"'],
  ['mem_limit: lots', 'error 4:16 mem_limit: "lots" is no size'],
  ['pids_limit: many', 'error 4:17 pids_limit: "many" is not a whole number'],
  [
    'ports: [{target: 80, published: "9-8"}]',
    'error 4:37 the published port "9-8" has a range that ends before it begins',
  ],
  [
    'ports: [{target: 80, host_ip: 127.0.0.1}]',
    'warning 4:35 the IP address of the port "127.0.0.1" is ignored: Swarm publishes on all addresses of a node',
  ],
  [
    'ports: [{target: 80, app_protocol: http}]',
    'warning 4:26 "app_protocol" is ignored: it changes nothing about the port',
  ],
  ['annotations: {a: b}', 'warning 4:5 "annotations" become labels of the containers: Swarm has no annotations'],
  [
    'platform: linux/riscv64',
    'warning 4:15 "platform" is ignored: no constraint on nodes is known for "linux/riscv64"',
  ],
  ['privileged: true', 'warning 4:5 "privileged" is ignored: the containers run without these privileges'],
  ['cpuset: 0-1', 'warning 4:5 "cpuset" is ignored: the containers may use all processors of a node'],
  ['memswap_limit: 1g', 'warning 4:5 "memswap_limit" is ignored: the containers may use as much swap as memory'],
  ['volumes_from: [x]', 'warning 4:5 "volumes_from" is ignored: nothing is mounted'],
  ['networks: {default: {priority: 1}}', 'warning 4:26 "priority" is ignored: Swarm connects networks in no order'],
  [
    'volumes: [{type: bind, source: /a, target: /a, bind: {create_host_path: true}}]',
    'warning 4:59 "create_host_path" is ignored: a source that does not exist on the node is an error',
  ],
  ['cpu_period: 50000', 'warning 4:17 "cpu_period" is ignored: nothing is limited without a "cpu_quota" beside it'],
  ['gpus: all', 'error 4:11 Swarm can not reserve all GPUs of a node, only a number of them'],
]

for (const [body, said] of told) {
  test(`said of ${body}`, () => assert.deepEqual(saidOf(body, { variables: {} }), [said]))
}

const reserve = (device: string): string => `deploy: {resources: {reservations: {devices: [${device}]}}}`

test('GPUs become generic resources, and it is said which', () => {
  const body = reserve('{capabilities: [gpu], driver: nvidia, count: 2}, {capabilities: ["gpu"], count: "1"}')
  assert.deepEqual(serviceOf(body).deploy.resources.reservations?.genericResources, [
    { kind: 'NVIDIA-GPU', value: 2 },
    { kind: 'gpu', value: 1 },
  ])
  assert.deepEqual(serviceOf('gpus: [{count: 1}]').deploy.resources.reservations?.genericResources, [
    { kind: 'gpu', value: 1 },
  ])
  assert.deepEqual(saidOf(reserve('{capabilities: [gpu], count: 1}')), [
    'warning 4:51 the GPUs are reserved as the generic resource "gpu": only nodes that advertise it get tasks',
  ])
})

for (const [device, said] of [
  ['{capabilities: [gpu]}', 'error 4:51 Swarm can not reserve all GPUs of a node, only a number of them'],
  ['{capabilities: [gpu], count: all}', 'error 4:80 Swarm can not reserve "all" GPUs of a node, only a number of them'],
  ['{capabilities: [gpu], count: 0}', 'error 4:80 the number of GPUs must be at least 1, not 0'],
  [
    '{capabilities: [gpu], device_ids: ["0"]}',
    'error 4:85 Swarm can not reserve GPUs by their ids, only a number of them',
  ],
  ['{capabilities: [tpu], count: 1}', 'error 4:51 Swarm can reserve GPUs by their number, not devices for "tpu"'],
] as const) {
  test(`no generic resource: ${device}`, () => assert.deepEqual(saidOf(reserve(device)), [said]))
}

test('what `docker compose config` prints has no mistake', () => {
  const result = loadTexts(
    [
      `name: demo
services:
  web:
    command: null
    entrypoint: null
    depends_on: { db: { condition: service_started, required: true } }
    deploy: { replicas: 1, resources: { limits: { cpus: 0.5, memory: "536870912" } }, placement: {} }
    environment: { A: "1", B: null }
    image: nginx
    networks: { default: null }
    ports: [{ mode: ingress, target: 80, published: "8080", protocol: tcp }]
    secrets: [{ source: s, target: /run/secrets/s, mode: "0440" }]
    volumes:
      - { type: volume, source: data, target: /data, volume: {} }
      - { type: bind, source: /srv, target: /srv, bind: { create_host_path: true } }
  db: { image: postgres, command: null, entrypoint: null, networks: { default: null } }
networks: { default: { name: demo_default, ipam: {} } }
volumes: { data: { name: demo_data } }
secrets: { s: { name: demo_s, environment: S } }
`,
    ],
    { variables: { S: 'x' } },
  )
  assert.deepEqual(problemLines(result), [
    'warning 1.yml:15:59 "create_host_path" is ignored: a source that does not exist on the node is an error',
  ])
})

test('all of IPAM, and the versions of IP', () => {
  const { stack, problems } = loadTexts(
    [
      `networks:
  plain: {ipam: {config: [{subnet: 10.1.0.0/16}]}}
  full:
    enable_ipv4: false
    enable_ipv6: "\${SIX}"
    ipam:
      driver: default
      options: {a: 1}
      config: [{subnet: fd00::/64, gateway: "fd00::1", ip_range: fd00::/80, aux_addresses: {h: "fd00::5"}}, {subnet: 10.2.0.0/16}]
`,
    ],
    { variables: { SIX: 'yes' } },
  )
  assert.deepEqual(problems, [])
  const [plain, full] = [stack?.networks.get('plain'), stack?.networks.get('full')]
  assert.deepEqual(
    [plain?.enableIpv4, plain?.enableIpv6, plain?.ipam],
    [undefined, undefined, { driver: '', subnets: ['10.1.0.0/16'] }],
  )
  assert.deepEqual([full?.enableIpv4, full?.enableIpv6], [false, true])
  assert.deepEqual(full?.ipam, {
    driver: 'default',
    subnets: ['fd00::/64', '10.2.0.0/16'],
    options: new Map([['a', '1']]),
    pools: [
      { subnet: 'fd00::/64', ipRange: 'fd00::/80', gateway: 'fd00::1', auxAddresses: new Map([['h', 'fd00::5']]) },
      { subnet: '10.2.0.0/16', ipRange: '', gateway: '', auxAddresses: new Map() },
    ],
  })
})

test('short keys of a later file override long ones of an earlier, and messages of the engine point to them', () => {
  const { stack } = loadTexts([
    'services: {a: {image: b, deploy: {replicas: 1, resources: {limits: {cpus: "1", memory: 1g}}}}}',
    'services:\n  a:\n    cpus: 2\n    mem_limit: 2g\n    scale: 4\n',
  ])
  const [service] = stack?.services ?? []
  assert.deepEqual(service?.deploy.resources.limits, { nanoCpus: 2_000_000_000, memoryBytes: 2 * 1024 ** 3, pids: 0 })
  assert.equal(service?.deploy.replicas, 4)
  assert.deepEqual(service?.places['deploy.resources.limits.memory'], { file: '2.yml', line: 4, column: 16 })
})

const compatibility = fs.readFileSync(path.resolve(import.meta.dirname, '..', '..', 'docs', 'compatibility.md'), 'utf8')

for (const [pattern, body, prefix] of [
  ['services.*', (key: string) => `${key}: VALUE`, ''],
  ['services.*.networks.*', (key: string) => `networks: {default: {${key}: VALUE}}`, ''],
  ['services.*.ports.[]', (key: string) => `ports: [{target: 80, ${key}: VALUE}]`, ''],
  [
    'services.*.volumes.[].bind',
    (key: string) => `volumes: [{type: bind, source: /a, target: /a, bind: {${key}: VALUE}}]`,
    'bind.',
  ],
] as const) {
  test(`no ignored key of ${pattern} is lost in silence, and all are in the documentation`, () => {
    const keys = Object.keys(ignoredRules(pattern))
    assert.ok(keys.length > 0)
    for (const key of keys) {
      // One of these forms fits each key's own rule.
      const said = ['true', 'x', '[x]', '[80]', '{context: x}', '1'].map((value) =>
        saidOf(body(key).replace('VALUE', value)),
      )
      const alone = said.filter((lines) => lines.length === 1 && lines[0]?.includes(`"${key}" is ignored: `))
      assert.ok(alone.length > 0, `${key}: ${said.flat().join('\n')}`)
      assert.ok(
        compatibility.includes(`\`${prefix}${key}\``) || compatibility.includes(`.${key}\``),
        `${key} is not documented`,
      )
    }
  })
}
