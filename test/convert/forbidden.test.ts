import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertStack } from '../../src/convert/convertStack.ts'
import { type Forbiddable, forbiddable } from '../../src/convert/forbidden.ts'
import { aFile, aMount, aNetwork, aPort, aReference, aService, aStack, at, aVolume } from '../support/stackValues.ts'

const external = { external: true, name: 'theirs' }
const stack = aStack({
  services: [
    aService({
      places: { service: at(2), cap_add: at(3), networks: at(4) },
      volumes: [
        aMount('bind', '/srv', '/a'),
        aMount('volume', 'folder', '/b', { place: at(21) }),
        aMount('volume', 'nfs', '/c'),
        aMount('volume', 'data', '/d'),
      ],
      networks: new Map([
        ['machine', null],
        ['own', null],
      ]),
      capAdd: ['NET_ADMIN'],
      capDrop: ['ALL'],
      ports: [aPort(80)],
      secrets: [aReference('s'), aReference('own')],
      configs: [aReference('c', { place: at(31) })],
    }),
    aService({ name: 'plain' }),
  ],
  networks: new Map([
    ['machine', aNetwork({ external: true, name: 'host' })],
    ['own', aNetwork()],
    ['default', aNetwork(external)],
  ]),
  volumes: new Map([
    [
      'folder',
      aVolume({
        driverOpts: new Map([
          ['type', 'none'],
          ['o', 'bind'],
          ['device', '/etc'],
        ]),
      }),
    ],
    [
      'nfs',
      aVolume({
        driverOpts: new Map([
          ['type', 'nfs'],
          ['device', ':/export'],
        ]),
      }),
    ],
    ['data', aVolume()],
  ]),
  secrets: new Map([
    ['s', aFile(undefined, external)],
    ['own', aFile('x')],
  ]),
  configs: new Map([['c', aFile(undefined, external)]]),
})

test('each forbidden use is refused at its line', () => {
  const uses: Readonly<Record<Forbiddable, readonly string[]>> = {
    'bind-mounts': [
      '20 service web mounts "/srv" of the node',
      '21 service web mounts the volume "folder", which is a folder of the node',
    ],
    'host-network': ['4 service web uses the network of the node'],
    capabilities: ['3 service web adds NET_ADMIN'],
    'published-ports': ['10 service web publishes its port 80'],
    'external-secrets': ['30 service web uses the external secret "s"'],
    'external-configs': ['31 service web uses the external config "c"'],
    'external-networks': [
      '4 service web uses the external network "machine"',
      '40 service plain uses the external network "default"',
    ],
  }
  for (const kind of forbiddable) {
    const { spec, problems } = convertStack(stack, 'shop', { forbid: new Set([kind]) })
    assert.equal(spec, undefined)
    assert.deepEqual(
      problems.map(({ code, position, message }) => `${code} ${position?.line} ${message}`),
      uses[kind].map((use) => `forbidden ${use}, and this workflow forbids ${kind}`),
    )
  }
})

test('what is not forbidden passes', () => {
  assert.deepEqual(convertStack(stack, 'shop').problems, [])
  const plain = aStack({ services: [aService()] })
  assert.deepEqual(convertStack(plain, 'shop', { forbid: new Set(forbiddable) }).problems, [])
})
