import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertStack } from '../../src/convert/convertStack.ts'
import { missingReferences, withReferenceIds } from '../../src/convert/references.ts'
import type { DeployError } from '../../src/errors.ts'
import type { ServiceSpec } from '../../src/swarm/service.ts'
import { aFile, aReference, aService, aStack } from '../support/stackValues.ts'

function specWithReferences(): ServiceSpec {
  const stack = aStack({
    services: [
      aService({
        secrets: [aReference('s'), aReference('s', { target: 'again' })],
        configs: [aReference('c')],
        credentialSpec: { config: 'cred', file: '', registry: '' },
      }),
    ],
    secrets: new Map([['s', aFile('x')]]),
    configs: new Map([
      ['c', aFile('x')],
      ['cred', aFile('x', { name: 'own' })],
    ]),
  })
  const [service] = convertStack(stack, 'shop').spec?.services ?? []
  assert.ok(service)
  return service.spec
}

test('ids are filled in by name, the one of the credential specification too', () => {
  const ids = {
    secrets: new Map([['shop_s', 'id1']]),
    configs: new Map([
      ['shop_c', 'id2'],
      ['own', 'id3'],
    ]),
  }
  const filled = withReferenceIds(specWithReferences(), ids)
  const container = filled.TaskTemplate.ContainerSpec
  assert.deepEqual(
    container?.Secrets?.map(({ SecretID, SecretName }) => [SecretID, SecretName]),
    [
      ['id1', 'shop_s'],
      ['id1', 'shop_s'],
    ],
  )
  assert.deepEqual(
    container?.Configs?.map(({ ConfigID, ConfigName }) => [ConfigID, ConfigName]),
    [
      ['id3', 'own'],
      ['id2', 'shop_c'],
    ],
  )
  assert.deepEqual(container?.Privileges?.CredentialSpec, { Config: 'id3', File: '', Registry: '' })
  assert.deepEqual(withReferenceIds(filled, ids), filled)
})

test('every name that the swarm does not have is reported', () => {
  const ids = { secrets: new Map(), configs: new Map([['own', 'id3']]) }
  assert.deepEqual(missingReferences(specWithReferences(), ids), { secrets: ['shop_s'], configs: ['shop_c'] })
  assert.throws(
    () => withReferenceIds(specWithReferences(), ids),
    (error: DeployError) => {
      assert.equal(error.code, 'missing-resource')
      assert.equal(error.message, 'service shop_web: secret not found: shop_s, config not found: shop_c')
      return true
    },
  )
})

test('a spec without a container or without references stays as it is', () => {
  const bare: ServiceSpec = { Name: 'x', TaskTemplate: {} }
  const none = { secrets: new Map<string, string>(), configs: new Map<string, string>() }
  assert.equal(withReferenceIds(bare, none), bare)
  const [service] = convertStack(aStack({ services: [aService()] }), 'shop').spec?.services ?? []
  assert.ok(service)
  assert.deepEqual(withReferenceIds(service.spec, none), service.spec)
})
