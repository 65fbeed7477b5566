import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { DeployError, type Problem } from '../../src/errors.ts'
import type { ContainerSpec } from '../../src/swarm/service.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { aNetworkObject, aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const stack = (spec: ContainerSpec) =>
  aStackSpec('shop', { services: [aServiceObject('shop', 'web', { container: spec })] })

async function deployed(apiVersion: string, spec: StackSpec) {
  const swarm = createMemorySwarm({ apiVersion })
  const warnings: Problem[] = []
  const failure = await new Backend(swarm.engine, { warn: (problem) => warnings.push(problem) })
    .deployStack(spec, 'never')
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  assert.ok(failure === undefined || failure instanceof DeployError, String(failure))
  return { swarm, warnings, failure }
}

interface Row {
  readonly key: string
  readonly container: ContainerSpec
  readonly api: string
  readonly older: string
  /** What is sent to an older engine; undefined where it is refused. */
  readonly known?: Partial<ContainerSpec>
}

const volume = { Type: 'volume', Source: 'v', Target: '/v' } as const
const rows: readonly Row[] = [
  {
    key: '"healthcheck.start_interval"',
    container: { Healthcheck: { Test: ['CMD', 'x'], StartInterval: 1_000_000_000 } },
    api: '1.44',
    older: '1.43',
    known: { Healthcheck: { Test: ['CMD', 'x'] } },
  },
  {
    key: '"oom_score_adj"',
    container: { OomScoreAdj: 5, User: 'app' },
    api: '1.46',
    older: '1.45',
    known: { User: 'app' },
  },
  {
    key: '"volumes.volume.subpath"',
    container: { Mounts: [{ ...volume, VolumeOptions: { NoCopy: true, Subpath: 'a' } }] },
    api: '1.45',
    older: '1.44',
  },
  {
    key: 'a mount of type "cluster"',
    container: { Mounts: [{ Type: 'cluster', Source: 's', Target: '/t' }] },
    api: '1.42',
    older: '1.41',
  },
]

describe('what came after the oldest engine', () => {
  for (const { key, container, api, older, known } of rows) {
    test(key, async () => {
      const now = await deployed(api, stack(container))
      assert.deepEqual([now.warnings, now.failure], [[], undefined])
      const sent = now.swarm.service('shop_web').Spec.TaskTemplate.ContainerSpec ?? {}
      assert.deepEqual({ ...sent, ...container }, sent)

      const { swarm, warnings, failure } = await deployed(older, stack(container))
      const said = `service web: the engine does not know ${key}, which came with API ${api} (it speaks ${older})`
      if (known === undefined) {
        assert.equal(failure?.code, 'unsupported')
        assert.equal(failure?.problems[0]?.message, said)
        assert.match(failure?.remedy ?? '', /^Update the managers and all nodes to Docker \d\d\.0 or newer/)
        assert.deepEqual(swarm.writes, [])
        return
      }
      assert.deepEqual(
        warnings.map(({ code, message }) => [code, message]),
        [['unsupported', `${said}; it is left out`]],
      )
      const left = swarm.service('shop_web').Spec.TaskTemplate.ContainerSpec ?? {}
      assert.deepEqual({ ...left, ...known }, left)
      const again = await new Backend(swarm.engine).deployStack(stack(container), 'never')
      assert.deepEqual(again.changes, [], 'what is left out is no difference')
    })
  }

  test('all of it is told at once', async () => {
    const container = Object.assign({}, ...rows.map((row) => row.container), {
      Mounts: rows.flatMap((row) => row.container.Mounts ?? []),
    })
    const { failure, swarm } = await deployed('1.41', stack(container))
    assert.equal(failure?.problems.length, 2)
    assert.deepEqual(swarm.writes, [])
  })
})

describe('what no engine has for a swarm', () => {
  test('mounts of images', async () => {
    const { failure, swarm } = await deployed('1.51', stack({ Mounts: [{ Type: 'image', Source: 's', Target: '/t' }] }))
    assert.equal(failure?.code, 'unsupported')
    assert.equal(failure?.problems[0]?.message, 'service web: Swarm does not know a mount of type "image"')
    assert.equal(failure?.remedy, 'Take it out of the manifest.')
    assert.deepEqual(swarm.writes, [])
  })

  test('networks without IPv4', async () => {
    const network = (EnableIPv4: boolean) =>
      aStackSpec('shop', { networks: [aNetworkObject('shop', 'front', { EnableIPv4 })] })
    assert.equal((await deployed('1.41', network(true))).failure, undefined)
    const { failure, swarm } = await deployed('1.51', network(false))
    assert.equal(failure?.code, 'unsupported')
    assert.match(failure?.message ?? '', /"shop_front" has "enable_ipv4: false"/)
    assert.equal(failure?.position?.line, 30)
    assert.deepEqual(swarm.writes, [])
  })
})
