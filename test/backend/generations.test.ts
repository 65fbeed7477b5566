import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generationName, generationsOf } from '../../src/backend/generations.ts'
import { NAMESPACE_LABEL } from '../../src/swarm/names.ts'
import type { Config } from '../../src/swarm/secret.ts'

const digest = '0123456789abcdef'.repeat(4)

test('a new generation has 8 digits of the digest, and more as long as others have its name', () => {
  const taken = new Set<string>()
  const next = (): string => generationName('shop_conf', digest, (name) => taken.has(name))
  for (const expected of ['01234567', '012345678', '0123456789']) {
    assert.equal(next(), `shop_conf-${expected}`)
    taken.add(next())
  }
  assert.equal(
    generationName('shop_conf', digest, () => true),
    `shop_conf-${digest}`,
  )
})

test("generations are the stack's own, with hex digits and nothing else, and none that the manifest declares", () => {
  const config = (Name: string, stack: string | undefined = 'shop'): [string, Config] => [
    Name,
    {
      ID: Name,
      Version: { Index: 1 },
      CreatedAt: '',
      UpdatedAt: '',
      Spec: { Name, Labels: stack === 'nobody' ? {} : { [NAMESPACE_LABEL]: stack } },
    },
  ]
  const live = new Map([
    config('shop_conf-fedcba98'),
    config('shop_conf-01234567'),
    config('shop_conf-012345678'),
    config('shop_conf'),
    config('shop_conf-0123456'),
    config('shop_conf-0123456g'),
    config('shop_conf-01234567-v2'),
    config('shop_config-01234567'),
    config('shop_conf-aaaaaaaa', 'other'),
    config('shop_conf-bbbbbbbb', 'nobody'),
    config('shop_conf-cccccccc'),
  ])
  const declared = new Set(['shop_conf', 'shop_conf-cccccccc'])
  assert.deepEqual(
    generationsOf('shop_conf', live, 'shop', declared).map(({ ID }) => ID),
    ['shop_conf-01234567', 'shop_conf-012345678', 'shop_conf-fedcba98'],
  )
})
