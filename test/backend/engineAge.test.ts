import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { DeployError, type Problem } from '../../src/errors.ts'
import type { MountType } from '../../src/swarm/mount.ts'
import type { ContainerSpec } from '../../src/swarm/service.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const container: ContainerSpec = {
  Healthcheck: { Test: ['CMD', 'x'], StartInterval: 1_000_000_000 },
  OomScoreAdj: 5,
  Mounts: [{ Type: 'volume', Source: 'v', Target: '/v', VolumeOptions: { NoCopy: true, Subpath: 'a' } }],
}
const stack = (spec: ContainerSpec) =>
  aStackSpec('shop', { services: [aServiceObject('shop', 'web', { container: spec })] })

test('an engine that is new enough gets every field', async () => {
  const swarm = createMemorySwarm({ apiVersion: '1.46' })
  const warnings: Problem[] = []
  await new Backend(swarm.engine, { warn: (problem) => warnings.push(problem) }).deployStack(stack(container), 'never')
  assert.deepEqual(warnings, [])
  const { Healthcheck, OomScoreAdj, Mounts } = swarm.service('shop_web').Spec.TaskTemplate.ContainerSpec ?? {}
  assert.deepEqual({ Healthcheck, OomScoreAdj, Mounts }, container)
})

test('an older one does not get what it does not know, and this is said', async () => {
  const swarm = createMemorySwarm({ apiVersion: '1.41' })
  const warnings: Problem[] = []
  await new Backend(swarm.engine, { warn: (problem) => warnings.push(problem) }).deployStack(stack(container), 'never')
  assert.deepEqual(
    warnings.map(({ code, message }) => [code, message]),
    [
      [
        'unsupported',
        'service web: the engine does not know "healthcheck.start_interval", which came with API 1.44 (it speaks 1.41); it is left out',
      ],
      [
        'unsupported',
        'service web: the engine does not know "volumes.volume.subpath", which came with API 1.45 (it speaks 1.41); it is left out',
      ],
      [
        'unsupported',
        'service web: the engine does not know "oom_score_adj", which came with API 1.46 (it speaks 1.41); it is left out',
      ],
    ],
  )
  const { Healthcheck, OomScoreAdj, Mounts } = swarm.service('shop_web').Spec.TaskTemplate.ContainerSpec ?? {}
  assert.deepEqual(Healthcheck, { Test: ['CMD', 'x'] })
  assert.equal(OomScoreAdj, undefined)
  assert.deepEqual(Mounts?.[0]?.VolumeOptions, { NoCopy: true })
})

test('a mount that it would take for a bind mount is refused', async () => {
  for (const [type, api] of [
    ['image', '1.47'],
    ['cluster', '1.41'],
  ] as const satisfies readonly (readonly [MountType, string])[]) {
    const swarm = createMemorySwarm({ apiVersion: api })
    const spec = stack({ Mounts: [{ Type: type, Source: 's', Target: '/t' }] })
    await assert.rejects(new Backend(swarm.engine).deployStack(spec, 'never'), (error) => {
      assert.ok(error instanceof DeployError)
      assert.equal(error.code, 'unsupported')
      assert.match(error.message, new RegExp(`a mount of type "${type}", which came with API`))
      return true
    })
    assert.deepEqual(swarm.writes, [])
  }
})
