// Several files, from left to right: docker's rules, and what is kept where docker loses it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service } from '../../src/compose/stack.ts'
import { loadTexts, problemLines } from '../support/composeFiles.ts'

function merged(...bodies: readonly string[]): Service {
  const result = loadTexts(
    bodies.map(
      (body, index) => `services:\n  a:\n${index === 0 ? '    image: b\n' : ''}${body.replace(/^/gm, '    ')}\n`,
    ),
  )
  const service = result.stack?.services[0]
  assert.ok(service, problemLines(result).join('\n'))
  return service
}

const ports = ({ ports: list }: Service): string[] =>
  list.map((port) => `${port.published}:${port.target}/${port.protocol}`)

/** What the merged service has, after the bodies of two files. */
const rules: readonly (readonly [
  name: string,
  base: string,
  override: string,
  read: (service: Service) => unknown,
  value: unknown,
])[] = [
  ['a text is replaced', 'hostname: a', 'hostname: b', (s) => s.hostname, 'b'],
  ['a command is replaced', 'command: [a, b]', 'command: [c]', (s) => s.command, ['c']],
  [
    'labels are merged, an empty one wins',
    'labels: {a: x, b: y}',
    'labels: {b: "", c: z}',
    (s) => [...s.labels],
    [
      ['a', 'x'],
      ['b', ''],
      ['c', 'z'],
    ],
  ],
  [
    'environment is merged, an empty one does not win',
    'environment: {a: x, b: , c: z}',
    'environment: {a: "", b: y, d: }',
    (s) => [...s.environment],
    [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'z'],
      ['d', null],
    ],
  ],
  [
    'lists are joined',
    'dns: [a]\ncap_add: [X]',
    'dns: [b]\ncap_add: [X]',
    (s) => [s.dns, s.capAdd],
    [
      ['a', 'b'],
      ['X', 'X'],
    ],
  ],
  ['zero replicas win', 'deploy: {replicas: 3}', 'deploy: {replicas: 0}', (s) => s.deploy.replicas, 0],
  ['replicas stay', 'deploy: {replicas: 3}', 'deploy: {mode: replicated}', (s) => s.deploy.replicas, 3],
  [
    'zero seconds do not win',
    'stop_grace_period: 5s',
    'stop_grace_period: 0s',
    (s) => s.stopGracePeriod,
    5_000_000_000,
  ],
  [
    'cpus "0" do win',
    'deploy: {resources: {limits: {cpus: "2", memory: 1k}}}',
    'deploy: {resources: {limits: {cpus: "0"}}}',
    (s) => s.deploy.resources.limits,
    { nanoCpus: 0, memoryBytes: 1024, pids: 0 },
  ],
  [
    'volumes by target, sorted by it',
    'volumes: ["x1:/z", "y1:/a"]',
    'volumes: ["x2:/z"]',
    (s) => s.volumes.map(({ source }) => source),
    ['y1', 'x2'],
  ],
  [
    'volumes are sorted as soon as a second file names the service',
    'volumes: ["x1:/z", "y1:/a"]',
    'hostname: b',
    (s) => s.volumes.map(({ source }) => source),
    ['y1', 'x1'],
  ],
  [
    'secrets by source',
    'secrets: [{source: s, target: t}, r]',
    'secrets: [s]',
    (s) => s.secrets.map(({ source, target }) => `${source}>${target}`),
    ['r>', 's>'],
  ],
  [
    'networks by name',
    'networks: {n: {aliases: [x]}, m: }',
    'networks: {n: {aliases: [y]}, o: }',
    (s) => [...(s.networks ?? [])].map(([name, network]) => `${name}:${network?.aliases ?? ''}`),
    ['n:y', 'm:', 'o:'],
  ],
  [
    'ulimits by name',
    'ulimits: {a: 1, b: 2}',
    'ulimits: {b: {soft: 3, hard: 4}}',
    (s) => [...s.ulimits],
    [
      ['a', { soft: 1, hard: 1 }],
      ['b', { soft: 3, hard: 4 }],
    ],
  ],
  [
    'another logging driver replaces all',
    'logging: {driver: x, options: {a: b}}',
    'logging: {driver: y}',
    (s) => [s.logging?.driver, s.logging?.options.size],
    ['y', 0],
  ],
  [
    'placement is joined',
    'deploy: {placement: {constraints: [a]}}',
    'deploy: {placement: {constraints: [b], preferences: [{spread: c}]}}',
    (s) => s.deploy.placement,
    { constraints: ['a', 'b'], preferences: ['c'], maxReplicasPerNode: 0 },
  ],
  // From here on the docker CLI loses something.
  [
    'kept: both protocols of a port',
    'ports: ["53:53/tcp", "53:53/udp"]',
    'hostname: b',
    ports,
    ['53:53/tcp', '53:53/udp'],
  ],
  ['kept: unpublished ports', 'ports: ["80", "81"]', 'ports: ["82"]', ports, ['0:80/tcp', '0:81/tcp', '0:82/tcp']],
  [
    'a port is replaced by its number and protocol',
    'ports: ["8080:80"]',
    'ports: [{target: 81, published: 8080, mode: host}]',
    ports,
    ['8080:81/'],
  ],
  [
    'kept: the test of the later file',
    'healthcheck: {test: [CMD, a], retries: 2}',
    'healthcheck: {test: [CMD, b]}',
    (s) => [s.healthcheck?.test, s.healthcheck?.retries],
    [['CMD', 'b'], 2],
  ],
  [
    'kept: logging options that a later file adds',
    'logging: {driver: x}',
    'logging: {options: {a: b}}',
    (s) => [s.logging?.driver, ...(s.logging?.options ?? [])],
    ['x', ['a', 'b']],
  ],
  ['kept: oom_score_adj', 'oom_score_adj: 5', 'hostname: b', (s) => s.oomScoreAdj, 5],
  [
    'kept: one secret mounted twice by one file',
    'secrets: [{source: s, target: t}, {source: s, target: u}]',
    'hostname: b',
    (s) => s.secrets.map(({ target }) => target),
    ['t', 'u'],
  ],
  [
    'kept: aliases and options of a network',
    'networks: {n: {aliases: [x], driver_opts: {a: b}}}',
    'networks: {n: {driver_opts: {c: d}}}',
    (s) => s.networks?.get('n'),
    {
      aliases: ['x'],
      driverOpts: new Map([
        ['a', 'b'],
        ['c', 'd'],
      ]),
    },
  ],
]

for (const [name, base, override, read, value] of rules) {
  test(name, () => assert.deepEqual(read(merged(base, override)), value))
}

test('a later false or zero does not override, as with docker, but this is said', () => {
  const result = loadTexts(['services:\n  a:\n    image: b\n    tty: true\n', 'services:\n  a:\n    tty: false\n'])
  assert.equal(result.stack?.services[0]?.tty, true)
  assert.deepEqual(problemLines(result), [
    'warning 2.yml:3:10 tty of the service a is empty, zero or false here, which does not override the value at 1.yml:4',
  ])
})

test('new services are added, definitions replaced as a whole, all sorted by name', () => {
  const { stack } = loadTexts([
    'services: {b: {image: x}}\nnetworks: {n: {driver: d, internal: true}, m: }\n',
    'services: {a: {image: y}}\nnetworks: {n: {attachable: true}}\n',
  ])
  assert.deepEqual(
    stack?.services.map(({ name }) => name),
    ['a', 'b'],
  )
  const network = stack?.networks.get('n')
  assert.deepEqual([network?.driver, network?.internal, network?.attachable], ['', false, true])
  assert.deepEqual([...(stack?.networks.keys() ?? [])], ['n', 'm'])
})

test('places are those of the file that decides', () => {
  const { places, ports: list } = merged('hostname: a\ndeploy: {replicas: 1}', 'hostname: b\nports: [80]')
  assert.deepEqual(places.hostname, { file: '2.yml', line: 3, column: 15 })
  assert.deepEqual(places['deploy.replicas'], { file: '1.yml', line: 5, column: 24 })
  assert.deepEqual(list[0]?.place, { file: '2.yml', line: 4, column: 13 })
  assert.deepEqual(places.service, { file: '1.yml', line: 2, column: 3 })
})
