// What the Compose Specification has beyond the docker CLI reaches the Engine: from the text of manifests to specs.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { convertStack } from '../../src/convert/convertStack.ts'
import { loadTexts, problemLines } from '../support/composeFiles.ts'

const main = `name: shop
include: [lib/db.yml]
services:
  web:
    extends: {file: lib/base.yml, service: base}
    depends_on: {db: {condition: service_healthy}}
    env_file: [{path: gone.env, required: false}]
    environment: {DEBUG: true, LEVEL: "\${LEVEL:-\${FALLBACK}}"}
    ports: [{target: 80, published: "8080-8081", name: http, mode: host}]
    networks: [front]
    configs: [page]
    secrets: [token]
    cpus: 0.5
    mem_limit: 64m
    pids_limit: 50
    scale: 2
    group_add: [mail]
    dns_opt: [use-vc]
    gpus: [{count: 1}]
    platform: linux/amd64
    volumes:
      - {type: volume, source: data, target: /data, volume: {subpath: web, labels: {own: 1}}}
      - {type: tmpfs, target: /tmp, tmpfs: {size: 1m, mode: 0o1777}}
      - {type: image, source: assets, target: /assets, image: {subpath: css}}
networks:
  front:
    enable_ipv6: true
    ipam: {options: {o: 1}, config: [{subnet: "fd00::/64", gateway: "fd00::1", ip_range: "fd00::/80", aux_addresses: {h: "fd00::5"}}]}
volumes: {data: {driver: nfs, driver_opts: {o: x}}}
configs: {page: {content: "hello \${LEVEL:+never}"}}
secrets: {token: {environment: TOKEN}}
`

const beside = {
  'lib/base.yml': 'services: {base: {image: nginx, annotations: {owner: me}, deploy: {labels: {tier: front}}}}\n',
  'lib/db.yml': 'services: {db: {image: postgres}}\n',
}

test('a manifest that needs no other file has no mistake', () => {
  const file = path.resolve(import.meta.dirname, '..', 'fixtures', 'specification', 'alone.yml')
  const loaded = loadTexts([fs.readFileSync(file, 'utf8')], {
    beside: { 'labels.env': 'a=1\n' },
    variables: { TOKEN: 'x' },
  })
  assert.ok(loaded.stack, problemLines(loaded).join('\n'))
  const { spec, problems } = convertStack(loaded.stack, 'shop')
  assert.deepEqual(
    [spec?.services.map(({ key }) => key), problems.filter(({ severity }) => severity === 'error')],
    [['web'], []],
  )
})

test('one manifest with nearly all of it', () => {
  const loaded = loadTexts([main], { beside, variables: { FALLBACK: 'info', TOKEN: 'hunter2' } })
  const { stack } = loaded
  assert.ok(stack, problemLines(loaded).join('\n'))
  const { spec, problems } = convertStack(stack, 'shop')
  assert.ok(spec, problems.map(({ message }) => message).join('\n'))
  assert.deepEqual(
    problems.map(({ severity, position, message }) => `${severity} ${position?.line} ${message}`),
    [
      'warning 6 "depends_on" is ignored: Swarm starts services in no order',
      'warning 26 network front: Swarm is not made for IPv6 on overlay networks: nodes reject a task that gets an address of an IPv6 subnet, and older engines reject all where IPv6 has no subnet',
    ],
  )
  assert.equal(stack.name, 'shop')
  assert.deepEqual(
    spec.services.map(({ name }) => name),
    ['shop_db', 'shop_web'],
  )
  const web = spec.services[1]?.spec
  assert.equal(web?.Labels?.tier, 'front')
  assert.deepEqual(web?.Mode, { Replicated: { Replicas: 2 } })
  assert.deepEqual(web?.EndpointSpec?.Ports, [
    { Name: 'http', TargetPort: 80, PublishedPort: 8080, PublishMode: 'host' },
    { Name: 'http', TargetPort: 80, PublishedPort: 8081, PublishMode: 'host' },
  ])
  const task = web?.TaskTemplate
  assert.deepEqual(task?.Resources, {
    Limits: { NanoCPUs: 500_000_000, MemoryBytes: 64 * 1024 * 1024, Pids: 50 },
    Reservations: { GenericResources: [{ DiscreteResourceSpec: { Kind: 'gpu', Value: 1 } }] },
  })
  assert.deepEqual(task?.Placement, { Constraints: ['node.platform.os==linux', 'node.platform.arch==x86_64'] })
  const container = task?.ContainerSpec
  assert.deepEqual(
    [container?.Image, container?.Groups, container?.DNSConfig],
    ['nginx:latest', ['mail'], { Options: ['use-vc'] }],
  )
  assert.deepEqual(container?.Env, ['DEBUG=true', 'LEVEL=info'])
  assert.equal(container?.Labels?.owner, 'me')
  assert.deepEqual(
    container?.Mounts?.map(({ VolumeOptions, TmpfsOptions, ImageOptions }) => [
      VolumeOptions && [VolumeOptions.Subpath, VolumeOptions.DriverConfig, VolumeOptions.Labels?.own],
      TmpfsOptions,
      ImageOptions,
    ]),
    [
      [['web', { Name: 'nfs', Options: { o: 'x' } }, '1'], undefined, undefined],
      [undefined, { SizeBytes: 1048576, Mode: 0o1777 }, undefined],
      [undefined, undefined, { Subpath: 'css' }],
    ],
  )
  const network = spec.networks.find(({ key }) => key === 'front')
  assert.ok(network?.external === false)
  assert.equal(network.spec.EnableIPv6, true)
  assert.deepEqual(network.spec.IPAM, {
    Driver: '',
    Options: { o: '1' },
    Config: [{ Subnet: 'fd00::/64', IPRange: 'fd00::/80', Gateway: 'fd00::1', AuxiliaryAddresses: { h: 'fd00::5' } }],
  })
  const data = [spec.configs[0], spec.secrets[0]].map((object) =>
    object?.external === false ? object.spec.Data : undefined,
  )
  assert.deepEqual(
    data.map((text) => Buffer.from(text ?? '', 'base64').toString()),
    ['hello ', 'hunter2'],
  )
})
