import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partOf } from '../../src/convert/partOf.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import {
  aFileObject,
  aNetworkObject,
  anExternalObject,
  aServiceObject,
  aStackSpec,
  configReference,
  secretReference,
} from '../support/stackSpecs.ts'

const networks = (...names: readonly string[]) => ({ Networks: names.map((Target) => ({ Target })) })

const shop = aStackSpec('shop', {
  networks: [aNetworkObject('shop', 'back'), aNetworkObject('shop', 'front'), anExternalObject('proxy')],
  secrets: [aFileObject('shop', 'key', 'x'), anExternalObject('token'), aFileObject('shop', 'unused', 'y')],
  configs: [aFileObject('shop', 'conf', 'x'), aFileObject('shop', 'gmsa', 'y')],
  services: [
    aServiceObject('shop', 'db', {
      template: networks('shop_back'),
      container: { Secrets: [secretReference('shop', 'key')], Configs: [configReference('shop', 'conf')] },
    }),
    aServiceObject('shop', 'web', {
      template: networks('proxy', 'shop_back', 'shop_front'),
      container: {
        Secrets: [{ ...secretReference('shop', 'token'), SecretName: 'token' }],
        // A credential specification is a config that no container mounts.
        Configs: [{ ConfigID: '', ConfigName: 'shop_gmsa', Runtime: {} }],
      },
    }),
  ],
})

const keysOf = ({ networks, secrets, configs, services }: StackSpec) =>
  [services, networks, secrets, configs].map((objects) => objects.map(({ key }) => key))

test('a part is its services with what they refer to, external things too, and nothing else', () => {
  const cases: readonly (readonly [readonly string[], ReturnType<typeof keysOf>])[] = [
    [['db'], [['db'], ['back'], ['key'], ['conf']]],
    [['web'], [['web'], ['back', 'front', 'proxy'], ['token'], ['gmsa']]],
    [
      ['web', 'db', 'web'],
      [
        ['db', 'web'],
        ['back', 'front', 'proxy'],
        ['key', 'token'],
        ['conf', 'gmsa'],
      ],
    ],
    [['shop_web'], [[], [], [], []]],
  ]
  for (const [keys, expected] of cases) assert.deepEqual(keysOf(partOf(shop, keys)), expected, keys.join())
  const { services, namespace, secretsAside } = partOf({ ...shop, secretsAside: [{ key: 'idle', name: 'idle' }] }, [
    'db',
  ])
  // Also of the rest nothing protected may be declared.
  assert.deepEqual(
    secretsAside?.map(({ name }) => name),
    ['idle', 'token', 'shop_unused'],
  )
  assert.deepEqual([services[0], namespace], [shop.services[0], 'shop'])
})
