// What a run says and does about what has left the manifest, by how the deployment went and by what its inputs say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { WriteJournal } from '../../src/backend/journal.ts'
import { keptOf } from '../../src/backend/kept.ts'
import type { CommandContext, Progress } from '../../src/commands/context.ts'
import { pruned } from '../../src/commands/prune.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Problem } from '../../src/errors.ts'
import type { Status } from '../../src/report/outcome.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import { racing, refusing } from '../support/racing.ts'
import { aFileObject, aNetworkObject, aServiceObject, aStackSpec, configReference } from '../support/stackSpecs.ts'

/** Long after all that happens in the swarm. */
const now = Date.UTC(2026, 6, 1)

const owner = 'gha/acme/shop'

function web(content: string): StackSpec {
  return aStackSpec('shop', {
    configs: [aFileObject('shop', 'conf', content)],
    services: [
      aServiceObject('shop', 'web', { container: { Configs: [configReference('shop', 'conf', '/etc/conf')] } }),
    ],
  })
}

/** A stack whose manifest has lost a service, a network, and two generations of a config. */
async function aftermath(): Promise<{ readonly swarm: MemorySwarm; readonly spec: StackSpec }> {
  const swarm = createMemorySwarm()
  const deploy = (spec: StackSpec) => new Backend(swarm.engine, { owner, rotate: true }).deployStack(spec, 'never')
  const first = web('one')
  await deploy({
    ...first,
    networks: [aNetworkObject('shop', 'back')],
    services: [...first.services, aServiceObject('shop', 'old', { template: { Networks: [{ Target: 'shop_back' }] } })],
  })
  await deploy(web('two'))
  await deploy(web('three'))
  return { swarm, spec: web('three') }
}

interface RunOptions {
  readonly prune?: boolean
  readonly services?: readonly string[]
  readonly status?: Status
  readonly on?: Engine
  readonly cancelled?: AbortSignal
  readonly approved?: readonly { readonly kind: string; readonly name: string }[]
}

async function run({ engine }: MemorySwarm, spec: StackSpec, options: RunOptions = {}) {
  const { prune = true, services, status = 'converged', on = engine } = options
  const warnings: Problem[] = []
  const lines: string[] = []
  const progress: Progress = { changes: [], services: [] }
  const journal = new WriteJournal()
  const context: Pick<CommandContext, 'mountedSecrets' | 'cancelled' | 'progress' | 'warn' | 'journal'> & {
    readonly inputs: Partial<CommandContext['inputs']>
    readonly log: Pick<CommandContext['log'], 'info' | 'group'>
  } = {
    inputs: { prune, services, repository: 'acme/shop', protectedSecrets: [], rotate: true, force: false },
    mountedSecrets: '/nowhere',
    cancelled: options.cancelled ?? new AbortController().signal,
    progress,
    journal,
    warn: (problem) => warnings.push(problem),
    log: { info: (line) => lines.push(line), group: () => {} },
  }
  const connection = { engine: on, now: () => now, swarmId: 's1', prolong: () => {}, close: async () => {} }
  const planned = await new Backend(engine, { owner, rotate: true }).planStack(spec, 'never')
  const before = (await engine.listServices()).length
  const kept = keptOf(spec, planned.plan.objects, now)
  const result = await pruned(context as unknown as CommandContext, connection, kept, planned, options.approved, {
    status,
  })
  const removed = progress.changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`)
  const said = warnings.map(({ message, remedy }) => `${message} → ${remedy}`)
  return { status: result.status, removed, said, lines, journal, fewer: before - (await engine.listServices()).length }
}

const all = ['remove service shop_old', 'remove config shop_conf', 'remove network shop_back']

test('after a good end what left is removed, and a run that wrote nothing else has then written something', async () => {
  for (const [status, becomes] of [
    ['converged', 'converged'],
    ['unchanged', 'converged'],
    ['deployed', 'deployed'],
  ] as const) {
    const { swarm, spec } = await aftermath()
    const { removed, said, lines, status: end, journal } = await run(swarm, spec, { status })
    assert.deepEqual([end, removed, said], [becomes, all, []])
    const [kept] = lines.filter((line) => line.startsWith('Kept'))
    assert.match(kept ?? '', /^Kept, since a rollback of service shop_web needs it: config shop_conf-[0-9a-f]{8}$/)
    assert.deepEqual(journal.report().notApplied, [])
    const again = await run(swarm, spec, { status: 'unchanged' })
    assert.deepEqual([again.status, again.removed, again.lines[0]], ['unchanged', [], 'There is nothing to remove.'])
  }
})

test('of what left only that is removed which an approved plan removes: the rest became removable since', async () => {
  const { swarm, spec } = await aftermath()
  const conf = { kind: 'config', name: 'shop_conf' }
  const { removed, lines, journal } = await run(swarm, spec, {
    approved: [conf, { kind: 'network', name: 'shop_back' }],
  })
  // The network is in use by the service that stays.
  assert.deepEqual(removed, ['remove config shop_conf'])
  assert.ok(
    lines.includes('Kept, since the plan that was approved does not remove it: service shop_old'),
    lines.join('\n'),
  )
  assert.deepEqual(journal.report().notApplied, [])
  const none = await run(swarm, spec, { status: 'unchanged', approved: [] })
  assert.deepEqual([none.status, none.removed], ['unchanged', []])
  const later = await run(swarm, spec, { approved: [{ kind: 'service', name: 'shop_old' }] })
  assert.deepEqual(later.removed, ['remove service shop_old'])
  assert.deepEqual((await run(swarm, spec)).removed, ['remove network shop_back'])
})

test('after any other end, or of a part, nothing is removed and nothing said', async () => {
  const { swarm, spec } = await aftermath()
  const bad: readonly Status[] = ['failed', 'timed-out', 'rolled-back', 'rollback-failed', 'cancelled', 'refused']
  for (const options of [...bad.map((status) => ({ status })), { services: ['web'] }]) {
    for (const prune of [true, false]) {
      const { removed, said, lines, fewer, status } = await run(swarm, spec, { ...options, prune })
      assert.deepEqual([removed, said, lines, fewer], [[], [], [], 0])
      if ('status' in options) assert.equal(status, options.status)
    }
  }
})

test('without prune one warning names what is left, and older generations are only counted', async () => {
  const { swarm, spec } = await aftermath()
  const { removed, said, lines, fewer } = await run(swarm, spec, { prune: false })
  assert.deepEqual([removed, fewer], [[], 0])
  assert.deepEqual(said, [
    'the stack shop still has what the manifest does not: service shop_old; network shop_back → `prune: true` removes them.',
  ])
  assert.deepEqual(lines, [
    '1 superseded generation of a secret or config, which nothing refers to any more: `prune: true` removes it.',
  ])
})

test('a service that the manifest has, but whose profiles are not active, has not left', async () => {
  const { swarm, spec } = await aftermath()
  const asleep = { ...spec, inactive: ['shop_old'] }
  assert.deepEqual((await run(swarm, asleep, { prune: false })).said, [])
  assert.deepEqual((await run(swarm, asleep)).removed, ['remove config shop_conf'])
})

test('services that this action never wrote are named as such', async () => {
  const { swarm, spec } = await aftermath()
  const { Spec } = swarm.service('shop_old')
  const strange = { ...Spec, Labels: { 'com.docker.stack.namespace': 'shop' } }
  await swarm.engine.createService({ ...strange, Name: 'shop_strange' })
  const mixed = await run(swarm, spec, { prune: false })
  assert.deepEqual(mixed.said, [
    'the stack shop still has what the manifest does not: services shop_old, shop_strange → `prune: true` removes them, but for service shop_strange, not created for this repository: `docker service rm` does.',
  ])
  await run(swarm, spec)
  const alone = await run(swarm, spec, { prune: false })
  assert.deepEqual(alone.said, [
    'the stack shop still has what the manifest does not: service shop_strange → This action did not create it for this repository, so `prune` leaves it alone: remove what you do not need with `docker service rm`.',
  ])
})

test('what is refused or cannot be read is a warning, and the run stays as it was', async () => {
  const { swarm, spec } = await aftermath()
  const refused = await run(swarm, spec, { on: refusing(swarm.engine, 'removeConfig', 'config is in use') })
  assert.deepEqual([refused.status, refused.removed], ['converged', all.filter((one) => !one.includes('config'))])
  assert.deepEqual(refused.said, [
    'the config shop_conf is superseded and could not be removed: config is in use → The next deployment tries again.',
  ])
  for (const prune of [true, false]) {
    const unread = await run(swarm, spec, { prune, on: refusing(swarm.engine, 'listSecrets', 'no answer') })
    assert.equal(unread.status, 'converged')
    assert.match(
      unread.said.join(),
      /^What has left the manifest is not .*: no answer → The next deployment looks again\.$/,
    )
  }
})

test('a cancellation ends the run as one', async () => {
  const { swarm, spec } = await aftermath()
  const cancelled = new AbortController()
  const on = racing(swarm.engine, 'removeService', async () => cancelled.abort(new Error('enough')))
  await assert.rejects(run(swarm, spec, { on, cancelled: cancelled.signal }))
  assert.equal(swarm.config('shop_conf').Spec.Name, 'shop_conf')
})
