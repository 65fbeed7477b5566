// Which image is written, in each mode, and who is asked.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import type { ResolveMode } from '../../src/backend/resolveMode.ts'
import { DeployError, type Problem } from '../../src/errors.ts'
import { parseRegistryAuth } from '../../src/registry/parseRegistryAuth.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import { aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const D1 = `sha256:${'1'.repeat(64)}`
const D2 = `sha256:${'2'.repeat(64)}`
const linux = { OS: 'linux', Architecture: 'amd64' }
const published = [linux, { OS: 'linux', Architecture: 'arm' }, { OS: 'unknown', Architecture: 'unknown' }, linux]
const platforms = [{ Architecture: 'amd64', OS: 'linux' }, { OS: 'linux' }]

async function deploy(swarm: MemorySwarm, mode: ResolveMode, images: readonly string[], auth?: string) {
  const warnings: Problem[] = []
  const backend = new Backend(swarm.engine, { warn: (problem) => warnings.push(problem) })
  const services = images.map((image, index) => aServiceObject('shop', `s${index}`, { image }))
  const { changes } = await backend
    .withRegistryAuth(auth === undefined ? undefined : parseRegistryAuth(auth, () => undefined).auth)
    .deployStack(aStackSpec('shop', { services }), mode)
  return { changes, warnings }
}

const imageOf = (swarm: MemorySwarm, name = 'shop_s0') => swarm.service(name).Spec.TaskTemplate.ContainerSpec?.Image
const platformsOf = (swarm: MemorySwarm) => swarm.service('shop_s0').Spec.TaskTemplate.Placement?.Platforms
const lookUps = (swarm: MemorySwarm) => swarm.calls.filter((call) => call === 'inspectDistribution').length

describe('the first deployment', () => {
  const cases: readonly (readonly [mode: ResolveMode, expected: string, calls: number])[] = [
    ['always', `acme/shop:latest@${D1}`, 1],
    ['changed', `acme/shop:latest@${D1}`, 1],
    ['never', 'acme/shop:latest', 0],
  ]
  for (const [mode, expected, calls] of cases) {
    test(mode, async () => {
      const swarm = createMemorySwarm()
      swarm.publish('acme/shop', D1, published)
      await deploy(swarm, mode, ['acme/shop'])
      assert.equal(imageOf(swarm), expected)
      assert.deepEqual(platformsOf(swarm), calls === 0 ? undefined : platforms)
      assert.equal(lookUps(swarm), calls)
    })
  }
})

describe('a tag that has moved', () => {
  const cases: readonly (readonly [mode: ResolveMode, expected: string, calls: number])[] = [
    ['always', `acme/shop:1@${D2}`, 1],
    ['changed', `acme/shop:1@${D1}`, 0],
    ['never', `acme/shop:1@${D1}`, 0],
  ]
  for (const [mode, expected, calls] of cases) {
    test(mode, async () => {
      const swarm = createMemorySwarm()
      swarm.publish('acme/shop:1', D1, published)
      await deploy(swarm, 'always', ['acme/shop:1'])
      swarm.publish('acme/shop:1', D2, published)
      const { changes } = await deploy(swarm, mode, ['acme/shop:1'])
      assert.equal(imageOf(swarm), expected)
      assert.deepEqual(platformsOf(swarm), platforms)
      assert.equal(lookUps(swarm), 1 + calls)
      assert.deepEqual(
        changes.map(({ fields }) => fields),
        mode === 'always' ? [['image']] : [],
      )
    })
  }
})

describe('another image in the manifest', () => {
  const cases: readonly (readonly [mode: ResolveMode, expected: string])[] = [
    ['always', `acme/shop:2@${D2}`],
    ['changed', `acme/shop:2@${D2}`],
    ['never', 'acme/shop:2'],
  ]
  for (const [mode, expected] of cases) {
    test(mode, async () => {
      const swarm = createMemorySwarm()
      swarm.publish('acme/shop:1', D1)
      swarm.publish('acme/shop:2', D2)
      await deploy(swarm, 'always', ['acme/shop:1'])
      const { changes } = await deploy(swarm, mode, ['acme/shop:2'])
      assert.equal(imageOf(swarm), expected)
      assert.deepEqual(
        changes.map(({ fields }) => fields),
        [['image']],
      )
    })
  }
})

describe('an image that somebody changed by hand is put back', () => {
  for (const mode of ['always', 'changed', 'never'] as const) {
    test(mode, async () => {
      const swarm = createMemorySwarm()
      swarm.publish('acme/shop:1', D1)
      await deploy(swarm, 'always', ['acme/shop:1'])
      swarm.tamper('shop_s0', (spec) => ({
        ...spec,
        TaskTemplate: { ...spec.TaskTemplate, ContainerSpec: { ...spec.TaskTemplate.ContainerSpec, Image: 'evil:1' } },
      }))
      await deploy(swarm, mode, ['acme/shop:1'])
      assert.equal(imageOf(swarm), mode === 'always' ? `acme/shop:1@${D1}` : 'acme/shop:1')
      assert.equal(lookUps(swarm), mode === 'always' ? 2 : 1)
    })
  }
})

test('a registry that is down is a warning, and what runs keeps its digest', async () => {
  const swarm = createMemorySwarm()
  swarm.publish('acme/shop:1', D1, published)
  await deploy(swarm, 'always', ['acme/shop:1', 'acme/shop:1'])
  swarm.failNext('inspectDistribution', 'refused', { message: 'no such host' })
  const { changes, warnings } = await deploy(swarm, 'always', ['acme/shop:1', 'acme/shop:1', 'acme/new'])
  assert.equal(imageOf(swarm), `acme/shop:1@${D1}`)
  assert.deepEqual(platformsOf(swarm), platforms)
  assert.equal(imageOf(swarm, 'shop_s2'), 'acme/new:latest')
  assert.deepEqual(
    changes.map(({ name }) => name),
    ['shop_s2'],
  )
  assert.deepEqual(
    warnings.map(({ message, position }) => [message.replace(/: [^:]*$/, ''), position?.line]),
    [
      ['the digest of the image "acme/shop:1" (s0, s1) could not be looked up', 3],
      ['the digest of the image "acme/new" (s2) could not be looked up: Get "https://registry.invalid/v2/"', 3],
    ],
  )
})

describe('a registry that wants a login', () => {
  const cases: readonly (readonly [what: string, auth: string | undefined, words: RegExp, remedy: RegExp])[] = [
    [
      'refuses the one it gets',
      'ghcr.io octocat token',
      /as the registry ghcr\.io refused the credentials: /,
      /expired/,
    ],
    [
      'misses one',
      'quay.io octocat token',
      /ghcr\.io wants credentials, and none are given for it: /,
      /a login for ghcr\.io/,
    ],
    ['misses one, where there are none at all', undefined, /ghcr\.io wants credentials/, /a login for ghcr\.io/],
  ]
  for (const [what, auth, words, remedy] of cases) {
    test(what, async () => {
      const swarm = createMemorySwarm()
      swarm.failNext('inspectDistribution', 'unauthorized', { message: 'unauthorized: no' })
      const { warnings } = await deploy(swarm, 'always', ['ghcr.io/acme/shop:1'], auth)
      const [warning, ...more] = warnings
      assert.deepEqual(more, [])
      assert.match(warning?.message ?? '', words)
      assert.match(warning?.message ?? '', /unauthorized: no$/)
      assert.match(warning?.remedy ?? '', remedy)
      assert.equal(imageOf(swarm), 'ghcr.io/acme/shop:1')
    })
  }
})

test('a lost connection is no unknown digest', async () => {
  const swarm = createMemorySwarm()
  swarm.failNext('inspectDistribution', 'connection')
  await assert.rejects(deploy(swarm, 'always', ['acme/shop:1']), { kind: 'connection' })
  assert.deepEqual(swarm.writes, [])
})

test('each image is asked for once, and a digest in the manifest stays', async () => {
  const swarm = createMemorySwarm()
  swarm.publish('acme/shop:1', D1)
  swarm.publish(`acme/shop@${D2}`, D2)
  await deploy(swarm, 'always', ['acme/shop:1', 'acme/shop:1', `acme/shop@${D2}`])
  assert.equal(lookUps(swarm), 2)
  assert.equal(imageOf(swarm, 'shop_s2'), `acme/shop@${D2}`)
})

test('an image that is written in several ways is asked for once', async () => {
  const swarm = createMemorySwarm()
  const images = ['nginx', 'docker.io/library/nginx:latest', 'nginx:latest']
  swarm.publish('nginx:latest', D1)
  await deploy(swarm, 'always', images)
  assert.equal(lookUps(swarm), 1)
  for (const [index] of images.entries()) assert.equal(imageOf(swarm, `shop_s${index}`), `nginx:latest@${D1}`)
})

test('credentials go to their own registry only: for the look-up, the creation and the update', async () => {
  const swarm = createMemorySwarm()
  const login = 'ghcr.io octocat token'
  const header = parseRegistryAuth(login, () => undefined).auth.headerFor('ghcr.io/acme/shop')
  await deploy(swarm, 'always', ['ghcr.io/acme/shop:1'], login)
  assert.deepEqual(swarm.auths.splice(0), [header, header])
  await deploy(swarm, 'never', ['ghcr.io/acme/shop:2', 'quay.io/acme/shop:1'], login)
  assert.deepEqual(swarm.auths.splice(0), [header, ''])
  await deploy(swarm, 'never', ['ghcr.io/acme/shop:3'])
  assert.deepEqual(swarm.auths, [''])
})

describe('strict images', () => {
  async function refused(images: readonly string[], mode: ResolveMode = 'always', auth?: string) {
    const swarm = createMemorySwarm()
    swarm.publish('acme/known:1', D1)
    const backend = new Backend(swarm.engine, { strictImages: true })
    const services = images.map((image, index) => aServiceObject('shop', `s${index}`, { image }))
    const error = await backend
      .withRegistryAuth(auth === undefined ? undefined : parseRegistryAuth(auth, () => undefined).auth)
      .deployStack(aStackSpec('shop', { services }), mode)
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
    return { error, swarm }
  }

  test('refuse the whole stack before any write, and name all images with the lines of their services', async () => {
    const { error, swarm } = await refused(['acme/lost:1', 'acme/known:1', 'acme/gone:2', 'acme/lost:1'])
    assert.ok(error instanceof DeployError)
    assert.equal(error.code, 'image-pull')
    assert.deepEqual(
      error.problems.map(({ severity, message, position }) => [
        severity,
        message.replace(/: [^:]*$/, ''),
        position?.line,
      ]),
      [
        [
          'error',
          'the digest of the image "acme/lost:1" (s0, s3 at stack.yml:3) could not be looked up: Get "https://registry.invalid/v2/"',
          3,
        ],
        [
          'error',
          'the digest of the image "acme/gone:2" (s2) could not be looked up: Get "https://registry.invalid/v2/"',
          3,
        ],
      ],
    )
    for (const { remedy } of error.problems) assert.match(remedy ?? '', /without "strict-images" this is a warning/)
    assert.deepEqual(swarm.writes, [])
  })

  test('have nothing against what is pinned, or not asked for', async () => {
    const pinned = await refused([`acme/lost@${D1}`])
    assert.equal(pinned.error, undefined)
    assert.equal(imageOf(pinned.swarm), `acme/lost@${D1}`)
    assert.equal((await refused(['acme/lost:1'], 'never')).error, undefined)
    assert.equal((await refused(['acme/known:1'])).error, undefined)
  })

  test('refuse what runs already, too', async () => {
    const swarm = createMemorySwarm()
    swarm.publish('acme/shop:1', D1)
    await deploy(swarm, 'always', ['acme/shop:1'])
    const { writes } = swarm
    const before = writes.length
    swarm.failNext('inspectDistribution', 'refused', { message: 'no such host' })
    const services = [aServiceObject('shop', 's0', { image: 'acme/shop:1' })]
    const backend = new Backend(swarm.engine, { strictImages: true })
    await assert.rejects(backend.deployStack(aStackSpec('shop', { services }), 'always'), { code: 'image-pull' })
    assert.equal(swarm.writes.length, before)
  })
})

test('a service that runs no container has no image to look up', async () => {
  const swarm = createMemorySwarm()
  const service = aServiceObject('shop', 's0', { image: '' })
  const { ContainerSpec: _none, ...template } = service.spec.TaskTemplate
  const plugin = { ...service, spec: { ...service.spec, TaskTemplate: { ...template, Runtime: 'plugin' as const } } }
  for (const mode of ['always', 'changed', 'never'] as const) {
    await new Backend(swarm.engine).deployStack(aStackSpec('shop', { services: [plugin] }), mode)
  }
  assert.equal(lookUps(swarm), 0)
  assert.equal(swarm.service('shop_s0').Spec.TaskTemplate.ContainerSpec, undefined)
})

test('many images are looked up a few at a time', async () => {
  const swarm = createMemorySwarm()
  let underWay = 0
  let most = 0
  const engine = {
    ...swarm.engine,
    async inspectDistribution() {
      most = Math.max(most, ++underWay)
      await new Promise(setImmediate)
      underWay--
      return { digest: D1, platforms: [] }
    },
  }
  const services = Array.from({ length: 20 }, (_none, index) =>
    aServiceObject('shop', `s${index}`, { image: `acme/shop:${index}` }),
  )
  await new Backend(engine, { concurrency: 3 }).deployStack(aStackSpec('shop', { services }), 'always')
  assert.equal(most, 3)
})
