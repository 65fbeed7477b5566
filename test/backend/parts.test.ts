import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { inParallel } from '../../src/backend/inParallel.ts'
import { mountedSecretNames } from '../../src/backend/mountedSecretNames.ts'
import { digestOf, hasContent, saltFor, secretDigest } from '../../src/backend/secretDigest.ts'
import { DeployError } from '../../src/errors.ts'
import { DIGEST_LABEL } from '../../src/swarm/names.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { aNetworkObject, anExternalObject, aServiceObject, aStackSpec, base64 } from '../support/stackSpecs.ts'

test('mounted secrets are the files of a folder; without it there are none', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'secrets-'))
  try {
    fs.writeFileSync(path.join(folder, 'token'), '')
    fs.mkdirSync(path.join(folder, 'folder'))
    assert.deepEqual([...(await mountedSecretNames(folder))], ['token'])
    assert.deepEqual([...(await mountedSecretNames(path.join(folder, 'nowhere')))], [])
    await assert.rejects(mountedSecretNames(path.join(folder, 'token')), { code: 'forbidden', message: /ENOTDIR/ })
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
})

test('work begins in order, at most so many at once, and ends with the first failure', async () => {
  const events: string[] = []
  let under = 0
  let most = 0
  const work = async (item: number): Promise<number> => {
    events.push(`begin ${item}`)
    most = Math.max(most, ++under)
    await new Promise((resolve) => setImmediate(resolve))
    under--
    if (item === 3) throw new Error('three')
    events.push(`end ${item}`)
    return item * 10
  }
  assert.deepEqual(await inParallel([1, 2], 2, work), [10, 20])
  events.length = 0
  await assert.rejects(inParallel([1, 2, 3, 4, 5, 6], 2, work), { message: 'three' })
  assert.equal(most, 2)
  assert.deepEqual(
    events.filter((event) => event.startsWith('begin')),
    ['begin 1', 'begin 2', 'begin 3', 'begin 4'],
  )
  assert.equal(events.at(-1), 'end 4')
})

test('a digest tells the same content by its own salt only', () => {
  const spec = { Data: base64('s3cret') }
  const live = (label: string) => ({
    ID: 'x',
    Version: { Index: 1 },
    CreatedAt: '',
    UpdatedAt: '',
    Spec: { Labels: { [DIGEST_LABEL]: label } },
  })
  const [salt, other] = [saltFor('shop_key', 'seed'), saltFor('shop_other', 'seed')]
  assert.match(salt, /^[0-9a-f]{32}$/)
  assert.notEqual(secretDigest(spec, salt).digest, secretDigest(spec, other).digest)
  const bearer = live(`${salt}:${secretDigest(spec, salt).digest}`)
  assert.deepEqual(digestOf(bearer), secretDigest(spec, salt))
  assert.equal(hasContent(bearer, spec), true)
  assert.equal(hasContent(bearer, { Data: base64('other') }), false)
  assert.equal(hasContent(live('not a digest'), spec), undefined)
})

test('networks that only a node knows are no networks for services', async () => {
  const swarm = createMemorySwarm()
  await swarm.engine.createNetwork({ Name: 'local', Driver: 'bridge' })
  await swarm.engine.createNetwork({ Name: 'shop_own', Driver: 'bridge' })
  const spec = aStackSpec('shop', {
    networks: [
      anExternalObject('bridge'),
      anExternalObject('local'),
      anExternalObject('none'),
      aNetworkObject('shop', 'own'),
    ],
  })
  await assert.rejects(new Backend(swarm.engine).deployStack(spec, 'never'), (error) => {
    assert.ok(error instanceof DeployError)
    assert.deepEqual(
      error.problems.map(({ code, message }) => [code, message]),
      [
        [
          'missing-resource',
          'the external network "local" has the scope "local", and services need one of the scope "swarm"',
        ],
        ['conflict', 'the network "shop_own" exists already with the scope "local"'],
      ],
    )
    return true
  })
  assert.deepEqual(
    swarm.writes.filter((write) => !write.includes('network')),
    [],
  )
})

test('what a refused write leaves is in the journal, and the error has its line', async () => {
  const swarm = createMemorySwarm()
  const ports = (port: number) => ({ spec: { EndpointSpec: { Ports: [{ TargetPort: 80, PublishedPort: port }] } } })
  await new Backend(swarm.engine).deployStack(
    aStackSpec('other', { services: [aServiceObject('other', 'web', ports(80))] }),
    'never',
  )
  const backend = new Backend(swarm.engine, { concurrency: 1 })
  const services = [aServiceObject('shop', 'a'), aServiceObject('shop', 'b', ports(80)), aServiceObject('shop', 'c')]
  await assert.rejects(backend.deployStack(aStackSpec('shop', { services }), 'never'), (error) => {
    assert.ok(error instanceof DeployError)
    assert.equal(error.code, 'port-in-use')
    assert.match(error.message, /port '80' is already in use by service 'other_web'/)
    assert.equal(error.position?.line, 2)
    return true
  })
  assert.deepEqual(swarm.writes, ['create service other_web', 'create service shop_a'])
})

test('a removal that fails and leaves nothing is none; one that leaves something names it', async () => {
  const swarm = createMemorySwarm()
  const spec = aStackSpec('shop', {
    networks: [aNetworkObject('shop', 'front')],
    services: [aServiceObject('shop', 'web')],
  })
  const backend = new Backend(swarm.engine)
  await backend.deployStack(spec, 'never')
  swarm.failNext('removeNetwork', 'refused', { message: 'network shop_front not found, says Swarm', afterwards: true })
  await backend.removeStack('shop')

  await backend.deployStack(spec, 'never')
  swarm.failNext('removeNetwork', 'refused', { message: 'has active endpoints' })
  await assert.rejects(backend.removeStack('shop'), {
    message: 'stack shop is removed only in part; left: network shop_front: has active endpoints',
  })
  await backend.removeStack('shop')
  await assert.rejects(backend.removeStack(''), { code: 'input' })
})
