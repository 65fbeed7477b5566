// Release records of deployments: when there is one, what it says, and that nothing about it ever fails a run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { Backend } from '../../src/backend/backend.ts'
import type { ResolveMode } from '../../src/backend/resolveMode.ts'
import type { CommandContext } from '../../src/commands/context.ts'
import { type ReleaseKeeper, releaseKeeper } from '../../src/commands/release.ts'
import { partOf } from '../../src/convert/partOf.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { DeployError, type Problem } from '../../src/errors.ts'
import { decodeRecord } from '../../src/history/decodeRecord.ts'
import type { ReleaseSource } from '../../src/history/recordContent.ts'
import { createRedactor } from '../../src/report/redactor.ts'
import { isDeployed } from '../../src/report/status.ts'
import type { Config } from '../../src/swarm/secret.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import { losingAnswer, losingCall, racing, refusing } from '../support/racing.ts'
import { recordConfig } from '../support/releaseRecords.ts'
import { aFileObject, aServiceObject, aStackSpec, configReference, secretReference } from '../support/stackSpecs.ts'

const planted = 'planted-value'
const now = Date.UTC(2026, 4, 1, 12, 0, 0, 345)

const source: ReleaseSource = {
  manifests: ['stack.yml'],
  files: new Map([
    ['stack.yml', Buffer.from('services: {}\n')],
    ['motd.txt', Buffer.from('hello\n')],
  ]),
  variables: ['TAG'],
}

interface RunOptions {
  readonly history?: number
  readonly wait?: boolean
  readonly on?: Engine
  readonly from?: ReleaseSource
  readonly image?: string
  readonly stack?: string
  readonly content?: string
  readonly resolve?: ResolveMode
  /** Further services of the manifest, which use nothing. */
  readonly others?: readonly string[]
  /** Only the service "web" is written. */
  readonly part?: boolean
  readonly prune?: boolean
  readonly force?: boolean
  /** Where warnings go, for a run that throws. */
  readonly said?: Problem[]
  readonly status?: Parameters<ReleaseKeeper['settle']>[0]
}

/** One run, as the command has it, but without a watch: its verdict is given. */
async function run(swarm: MemorySwarm, options: RunOptions = {}) {
  const { history = 10, wait = true, on = swarm.engine, from = source, image = 'tb/ok:1', stack = 'shop' } = options
  const { content = 'hello', status = wait ? 'converged' : 'deployed' } = options
  const { others = [], part = false, prune = false, force = false } = options
  const warnings = options.said ?? []
  const redactor = createRedactor()
  redactor.add(planted)
  const context: Pick<CommandContext, 'env' | 'cancelled' | 'progress' | 'redact' | 'warn'> & {
    readonly inputs: Pick<CommandContext['inputs'], 'history' | 'wait' | 'services' | 'prune'>
    readonly log: Pick<CommandContext['log'], 'info'>
    readonly deadline: Pick<CommandContext['deadline'], 'passed'>
  } = {
    inputs: { history, wait, services: part ? ['web'] : undefined, prune },
    env: { GITHUB_SHA: 'c0ffee' },
    cancelled: new AbortController().signal,
    deadline: { passed: false },
    progress: { changes: [], services: [] },
    redact: redactor.redact,
    warn: (problem) => warnings.push(problem),
    log: { info: () => {} },
  }
  const connection = { engine: on, now: () => now, swarmId: 's1', prolong: () => {}, close: async () => {} }
  const release = releaseKeeper(context as CommandContext, connection, stack, from, 'gha/acme/shop')
  const backend = new Backend(on, { owner: 'gha/acme/shop', rotate: true, force })
  const container = { Secrets: [secretReference(stack, 'token')], Configs: [configReference(stack, 'motd')] }
  const whole = aStackSpec(stack, {
    secrets: [aFileObject(stack, 'token', 'a-secret-token')],
    configs: [aFileObject(stack, 'motd', content)],
    services: [
      ...others.map((key) => aServiceObject(stack, key, { image })),
      aServiceObject(stack, 'web', { image, container }),
    ],
  })
  const planned = await backend.planStack(
    part ? partOf(whole, ['web']) : whole,
    options.resolve ?? 'never',
    release.look,
  )
  release.prepare(planned)
  const [before, dropped] = [await recordsOf(swarm), release.dropped()]
  const application = await backend.beginStack(planned)
  const services = await application.services(planned.plan.services)
  const deployment = { changes: application.changes(), services, objects: planned.plan.objects }
  if (wait) await release.store()
  const between = await recordsOf(swarm)
  await release.settle(status)
  if (isDeployed(status) && on === swarm.engine) {
    const left = new Set((await recordsOf(swarm)).map(({ ID }) => ID))
    const gone = before.map(({ ID }) => ID).filter((id) => !left.has(id))
    assert.deepEqual(gone.sort(), [...dropped].sort(), 'what goes is known before the first write')
  }
  const { revision, previousRevision } = context.progress
  return { deployment, warnings, revision, previousRevision, between }
}

async function recordsOf({ engine }: MemorySwarm): Promise<readonly Config[]> {
  return engine.listConfigs({ label: ['com.swarmcli.type=release'] })
}

/** `v1 deployed`, by number. */
async function statuses(swarm: MemorySwarm): Promise<readonly string[]> {
  const shown = (await recordsOf(swarm)).map(
    ({ Spec: { Name = '', Labels } }) => `${Name.split('.').at(-1)} ${Labels?.['com.swarmcli.status']}`,
  )
  return shown.sort((left, right) => Number.parseInt(left.slice(1), 10) - Number.parseInt(right.slice(1), 10))
}

test('the revisions are told also where the plan is refused', async () => {
  const swarm = createMemorySwarm()
  await run(swarm)
  await run(swarm, { image: 'tb/ok:2' })
  const progress: CommandContext['progress'] = { changes: [], services: [] }
  const context = { inputs: { history: 10 }, progress, warn: () => {} }
  const connection = { engine: swarm.engine, now: () => 0, swarmId: 's1', prolong: () => {}, close: async () => {} }
  const release = releaseKeeper(context as unknown as CommandContext, connection, 'shop', source, undefined)
  const backend = new Backend(swarm.engine).withForbiddenSecrets(new Set(['key']))
  const spec = aStackSpec('shop', { secrets: [aFileObject('shop', 'x', 'x')].map((one) => ({ ...one, name: 'key' })) })
  await assert.rejects(backend.planStack(spec, 'never', release.look), /protected secret/)
  assert.deepEqual([progress.revision, progress.previousRevision], [2, 1])
})

test('a deployment leaves a record with its names, its digests and its files', async () => {
  const swarm = createMemorySwarm()
  const { between, revision, previousRevision, warnings } = await run(swarm)
  assert.deepEqual(warnings, [])
  assert.deepEqual([revision, previousRevision], [1, undefined])
  const pending = between[0]?.Spec ?? assert.fail('no record')
  assert.equal(pending.Name, 'swarmcli.release.shop.v1')
  assert.deepEqual(pending.Labels, {
    'com.swarmcli.type': 'release',
    'com.swarmcli.release': 'shop',
    'com.swarmcli.chart': 'shop',
    'com.swarmcli.chart.version': 'c0ffee',
    'com.swarmcli.revision': '1',
    'com.swarmcli.status': 'pending-install',
    'com.swarmcli.created': '2026-05-01T12:00:00Z',
    'com.swarmcli.owner': 'gha/acme/shop:release/shop',
    'swarmcli.created': '2026-05-01T12:00:00.345Z',
  })
  const yaml = parse(gunzipSync(Buffer.from(pending.Data ?? '', 'base64')).toString())
  assert.deepEqual(yaml, {
    release: 'shop',
    revision: 1,
    status: 'deployed',
    chart: { name: 'shop', version: 'c0ffee' },
    values: {
      manifests: ['stack.yml'],
      variables: ['TAG'],
      images: { web: 'tb/ok:1' },
      secrets: { token: 'shop_token' },
      configs: { motd: 'shop_motd' },
    },
    manifest: 'services: {}\n',
    created: '2026-05-01T12:00:00Z',
    namespace: 'shop',
    owner: 'gha/acme/shop:release/shop',
    files: { 'motd.txt': Buffer.from('hello\n').toString('base64') },
  })
  // The verdict changes the label, and nothing else.
  const settled = swarm.config('swarmcli.release.shop.v1').Spec
  assert.deepEqual(settled, { ...pending, Labels: { ...pending.Labels, 'com.swarmcli.status': 'deployed' } })
})

test('a record has the digest that an image was resolved to, and the name that a changed config was given', async () => {
  const swarm = createMemorySwarm()
  const digest = `sha256:${'ab'.repeat(32)}`
  swarm.publish('tb/ok:1', digest)
  await run(swarm)
  const { deployment } = await run(swarm, { resolve: 'always', content: 'other' })
  const { values } = decodeRecord(Buffer.from(swarm.config('swarmcli.release.shop.v2').Spec.Data ?? '', 'base64'))
  assert.equal(values.images.get('web'), `tb/ok:1@${digest}`)
  const motd = values.configs.get('motd') ?? ''
  assert.match(motd, /^shop_motd-[0-9a-f]{8}$/)
  assert.deepEqual(deployment.objects.find(({ key }) => key === 'motd')?.name, motd)
  assert.equal(Buffer.from(swarm.config(motd).Spec.Data ?? '', 'base64').toString(), 'other')
})

test('each deployment that changes something is a revision; the verdict is on it', async () => {
  const swarm = createMemorySwarm()
  await run(swarm)
  const failed = await run(swarm, { image: 'tb/ok:2', status: 'failed' })
  assert.deepEqual([failed.revision, failed.previousRevision], [2, 1])
  await run(swarm, { image: 'tb/ok:3', status: 'timed-out' })
  await run(swarm, { image: 'tb/ok:4', wait: false })
  assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v2 failed', 'v3 failed', 'v4 deployed'])
  const again = await run(swarm, { image: 'tb/ok:4' })
  assert.deepEqual(again.deployment.changes, [])
  assert.deepEqual([again.revision, again.previousRevision], [4, 3])
  assert.equal((await recordsOf(swarm)).length, 4)
})

test('what only starts a service again is no revision', async () => {
  const swarm = createMemorySwarm()
  await run(swarm)
  swarm.behave(() => 'crash')
  await run(swarm, { image: 'tb/ok:2', status: 'failed' })
  swarm.behave(() => 'run')
  const { deployment, revision } = await run(swarm, { image: 'tb/ok:2' })
  assert.deepEqual(
    deployment.changes.map(({ action }) => action),
    ['retry'],
  )
  assert.equal(revision, 2)
  assert.equal((await recordsOf(swarm)).length, 2)
})

test('restarted tasks are no revision, unless something else changes with them', async () => {
  const swarm = createMemorySwarm()
  await run(swarm)
  const forced = await run(swarm, { force: true })
  assert.deepEqual([forced.deployment.changes[0]?.fields, forced.revision], [['forceUpdate'], 1])
  const both = await run(swarm, { force: true, image: 'tb/ok:2' })
  assert.deepEqual([both.deployment.changes[0]?.fields, both.revision], [['image', 'forceUpdate'], 2])
})

test('of the services that a part leaves alone the record says what the one before says', async () => {
  const swarm = createMemorySwarm()
  await run(swarm, { others: ['api', 'zoo'] })
  const { revision } = await run(swarm, { others: ['api', 'zoo'], part: true, image: 'tb/ok:2', content: 'hi' })
  assert.equal(revision, 2)
  const { values } = decodeRecord(Buffer.from(swarm.config('swarmcli.release.shop.v2').Spec.Data ?? '', 'base64'))
  assert.deepEqual(
    [...values.images],
    [
      ['api', 'tb/ok:1'],
      ['web', 'tb/ok:2'],
      ['zoo', 'tb/ok:1'],
    ],
  )
  assert.match(values.configs.get('motd') ?? '', /^shop_motd-[0-9a-f]{8}$/)
  assert.deepEqual([...values.secrets], [['token', 'shop_token']])
  // Nothing that is not known is made up.
  const first = createMemorySwarm()
  await run(first, { others: ['api'], part: true })
  const { values: alone } = decodeRecord(
    Buffer.from(first.config('swarmcli.release.shop.v1').Spec.Data ?? '', 'base64'),
  )
  assert.deepEqual([...alone.images.keys()], ['web'])
})

test('a part that goes well makes no good release of one that failed, nor of the services that it leaves alone', async () => {
  const [others, part] = [['api'], true]
  for (const wait of [true, false]) {
    const swarm = createMemorySwarm()
    await run(swarm, { others })
    await run(swarm, { others, image: 'tb/bad:2', status: 'failed' })
    // The same manifest, of which it looks at a part only.
    assert.equal((await run(swarm, { others, part, image: 'tb/bad:2', status: 'unchanged', wait })).revision, 2)
    assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v2 failed'])
    await run(swarm, { others, part, image: 'tb/ok:3', wait })
    await run(swarm, { others, part, image: 'tb/ok:3', status: 'unchanged', wait })
    await run(swarm, { others, part, image: 'tb/ok:4', wait })
    const doubtful = ['v1 deployed', 'v2 failed', 'v3 pending-install', 'v4 pending-install']
    assert.deepEqual(await statuses(swarm), doubtful)
    await run(swarm, { others, image: 'tb/ok:4' })
    assert.deepEqual(await statuses(swarm), [...doubtful, 'v5 deployed'])
  }
  // What leaves nothing alone is the whole.
  const whole = createMemorySwarm()
  await run(whole, { image: 'tb/bad:2', status: 'failed' })
  await run(whole, { part, image: 'tb/ok:3' })
  assert.deepEqual(await statuses(whole), ['v1 failed', 'v2 deployed'])
})

test('of a service that a part leaves alone the record has the image that it runs, not one that was taken back', async () => {
  const swarm = createMemorySwarm()
  const others = ['api']
  await run(swarm, { others })
  await run(swarm, { others, image: 'tb/bad:2', status: 'rolled-back' })
  const [api] = await swarm.engine.listServices({ name: ['shop_api'] })
  assert.ok(api !== undefined)
  const { ContainerSpec, ...task } = api.Spec.TaskTemplate
  const back = { ...task, ContainerSpec: { ...ContainerSpec, Image: 'tb/ok:1' } }
  await swarm.engine.updateService(api.ID, api.Version.Index, { ...api.Spec, TaskTemplate: back })
  await run(swarm, { others, part: true, image: 'tb/ok:3' })
  const { values } = decodeRecord(Buffer.from(swarm.config('swarmcli.release.shop.v3').Spec.Data ?? '', 'base64'))
  assert.deepEqual(Object.fromEntries(values.images), { api: 'tb/ok:1', web: 'tb/ok:3' })
})

test('where what left the manifest is removed, the stack is another one: a revision, though no service is written', async () => {
  const swarm = createMemorySwarm()
  await run(swarm, { others: ['api'] })
  const left = await run(swarm, { prune: false })
  assert.deepEqual([left.deployment.changes, left.revision], [[], 1])
  const pruned = await run(swarm, { prune: true })
  assert.deepEqual([pruned.deployment.changes, pruned.revision], [[], 2])
  assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v2 deployed'])
  assert.equal((await run(swarm, { prune: true })).revision, 2)
})

test('a revision that failed or was broken off is deployed once a later run of the same manifest converges', async () => {
  const swarm = createMemorySwarm()
  await run(swarm)
  await run(swarm, { image: 'tb/ok:2', status: 'failed' })
  const still = await run(swarm, { image: 'tb/ok:2', status: 'timed-out' })
  assert.deepEqual([still.deployment.changes, still.revision], [[], 2])
  assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v2 failed'])
  // Another manifest that comes to the same in the swarm is none of it.
  const from = { ...source, files: new Map([['stack.yml', Buffer.from('services: { a: {} }\n')]]) }
  await run(swarm, { image: 'tb/ok:2', status: 'unchanged', from })
  assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v2 failed'])
  await run(swarm, { image: 'tb/ok:2', status: 'unchanged', wait: false })
  assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v2 failed'])
  const { revision, previousRevision, warnings } = await run(swarm, { image: 'tb/ok:2', status: 'unchanged' })
  assert.deepEqual([revision, previousRevision, warnings], [2, 1, []])
  assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v2 deployed'])
  // What converged once is not called failed because of what happens later.
  await run(swarm, { image: 'tb/ok:2', status: 'failed' })
  assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v2 deployed'])
})

test('`history: 0` writes no record and removes none', async () => {
  const swarm = createMemorySwarm()
  await run(swarm)
  const { revision, warnings } = await run(swarm, { image: 'tb/ok:2', history: 0 })
  assert.deepEqual(await statuses(swarm), ['v1 deployed'])
  assert.deepEqual([revision, warnings], [1, []])
})

test('only the newest are kept, after a good end, and those of other stacks are left alone', async () => {
  const swarm = createMemorySwarm()
  await run(swarm, { stack: 'shop2' })
  for (const image of ['tb/ok:1', 'tb/ok:2', 'tb/ok:3']) await run(swarm, { image })
  await run(swarm, { image: 'tb/ok:4', history: 2, status: 'failed' })
  assert.equal((await recordsOf(swarm)).length, 5)
  const { revision, previousRevision } = await run(swarm, { image: 'tb/ok:5', history: 2 })
  assert.deepEqual([revision, previousRevision], [5, 4])
  assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v3 deployed', 'v5 deployed'])
  assert.equal(swarm.config('swarmcli.release.shop2.v1').Spec.Labels?.['com.swarmcli.release'], 'shop2')
  // The next number goes on from the highest, and with one kept it is the current one.
  await run(swarm, { image: 'tb/ok:6', history: 1 })
  assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v6 deployed'])
})

test('the last one that went well is kept, however many failed after it', async () => {
  const swarm = createMemorySwarm()
  await run(swarm, { history: 3, image: 'tb/ok:1' })
  for (const image of ['tb/ok:2', 'tb/ok:3', 'tb/ok:4']) await run(swarm, { history: 3, image, status: 'failed' })
  await run(swarm, { history: 3, image: 'tb/ok:5' })
  assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v4 failed', 'v5 deployed'])
  await run(swarm, { history: 1, image: 'tb/ok:6' })
  assert.deepEqual(await statuses(swarm), ['v6 deployed'])
})

test('a name that another run has taken meanwhile: the next number, and no more than five tries more', async () => {
  const swarm = createMemorySwarm()
  const take = (revision: number) => swarm.engine.createConfig(recordConfig(revision, 'deployed').Spec)
  const spec = { image: 'tb/ok:2' }
  await run(swarm)
  const once = racing(swarm.engine, 'createConfig', () => take(2))
  const raced = await run(swarm, { ...spec, on: once })
  assert.deepEqual([raced.revision, raced.previousRevision, raced.warnings], [3, 2, []])
  const data = swarm.config('swarmcli.release.shop.v3').Spec.Data ?? ''
  assert.equal(decodeRecord(Buffer.from(data, 'base64')).revision, 3)
  assert.equal(swarm.config('swarmcli.release.shop.v3').Spec.Labels?.['com.swarmcli.revision'], '3')

  const always = taking(swarm, take)
  const lost = await run(swarm, { image: 'tb/ok:3', on: always.engine })
  assert.equal(always.tries(), 6)
  assert.match(lost.warnings.map(({ message }) => message).join(), /record could not be written.*already exists/)
  assert.deepEqual(
    lost.deployment.changes.map(({ name }) => name),
    ['shop_web'],
  )
})

test('a config of that name that is no record is stepped over', async () => {
  const swarm = createMemorySwarm()
  await swarm.engine.createConfig({ Name: 'swarmcli.release.shop.v1', Data: 'AAAA' })
  const { revision, warnings } = await run(swarm)
  assert.deepEqual([revision, warnings], [2, []])
})

test('a lost call is made again, and a lost answer is no second record', async () => {
  for (const lose of [losingCall, losingAnswer]) {
    const swarm = createMemorySwarm()
    await run(swarm, { content: 'hello' })
    const { revision, warnings } = await run(swarm, { image: 'tb/ok:2', on: lose(swarm.engine, 'createConfig') })
    assert.deepEqual([revision, warnings], [2, []])
    assert.deepEqual(await statuses(swarm), ['v1 deployed', 'v2 deployed'])
  }
})

test('an engine that refuses records fails no deployment', async () => {
  const cases: readonly (readonly [call: Parameters<typeof refusing>[1], said: RegExp, statuses: readonly string[]])[] =
    [
      ['createConfig', /^The release record could not be written.*no room/, ['v1 deployed', 'v2 deployed']],
      [
        'updateConfig',
        /^The release record does not say how the deployment ended.*no room/,
        ['v2 deployed', 'v3 pending-install'],
      ],
      [
        'removeConfig',
        /^Old release records could not be removed.*v1: no room/,
        ['v1 deployed', 'v2 deployed', 'v3 deployed'],
      ],
    ]
  for (const [call, said, left] of cases) {
    const swarm = createMemorySwarm()
    await run(swarm)
    await run(swarm, { image: 'tb/ok:2' })
    const { warnings } = await run(swarm, { image: 'tb/ok:3', history: 2, on: refusing(swarm.engine, call, 'no room') })
    assert.equal(warnings.length, 1, call)
    assert.match(warnings[0]?.message ?? '', said)
    assert.deepEqual(await statuses(swarm), left, call)
    assert.equal(swarm.service('shop_web').Spec.TaskTemplate.ContainerSpec?.Image, 'tb/ok:3')
  }
})

test('nothing that the run keeps secret is in a record: not in its names, and a manifest with it makes none', async () => {
  const swarm = createMemorySwarm()
  const { warnings } = await run(swarm, { image: `tb/ok:${planted}` })
  assert.deepEqual(warnings, [])
  const { values } = decodeRecord(Buffer.from(swarm.config('swarmcli.release.shop.v1').Spec.Data ?? '', 'base64'))
  assert.deepEqual([...values.images], [])

  const files = new Map([['stack.yml', Buffer.from(`services: {} # ${planted}\n`)]])
  const refused = await run(swarm, { image: 'tb/ok:2', from: { ...source, files } })
  assert.match(refused.warnings.map(({ message }) => message).join(), /no release record is written/)
  assert.deepEqual([refused.revision, refused.deployment.changes.length], [1, 1])
})

test('a warning about what the record can not hold comes before the first write, and not where nothing is written', async () => {
  const swarm = createMemorySwarm()
  const stack = 'a'.repeat(50)
  const faulty = refusing(swarm.engine, 'createSecret', 'no')
  const said: Problem[] = []
  await assert.rejects(run(swarm, { stack, on: faulty, said }), DeployError)
  assert.match(said.map(({ message }) => message).join(), /70 characters/)
  const done = await run(swarm, { stack })
  assert.match(done.warnings.map(({ message }) => message).join(), /70 characters/)
  const again = await run(swarm, { stack })
  assert.deepEqual(again.warnings, [])
})

test('a record that can not be read is named, keeps its number, and is not removed', async () => {
  const swarm = createMemorySwarm()
  const { Labels } = recordConfig(4, 'deployed').Spec
  await swarm.engine.createConfig({ Name: 'swarmcli.release.shop.v4', Labels: { ...Labels }, Data: 'AAAA' })
  const { revision, warnings } = await run(swarm, { history: 1 })
  assert.equal(revision, 5)
  assert.match(warnings.map(({ message }) => message).join(), /v4 can not be read and is passed over: it is no gzip/)
  assert.deepEqual(await statuses(swarm), ['v4 deployed', 'v5 deployed'])
})

/** An engine on which every name is taken just before it is asked for. */
function taking(swarm: MemorySwarm, take: (revision: number) => Promise<unknown>) {
  let tries = 0
  const engine: Engine = new Proxy(swarm.engine, {
    get(target, property) {
      if (property !== 'createConfig') return Reflect.get(target, property)
      return async (...args: Parameters<Engine['createConfig']>) => {
        tries++
        await take(Number(args[0].Name?.split('.v').at(-1)))
        return target.createConfig(...args)
      }
    },
  })
  return { engine, tries: () => tries }
}
