// Turns on a swarm in memory: what is written when, and what is said of a rollout that ends before all of it is written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { WriteJournal } from '../../src/backend/journal.ts'
import type { CommandContext, CommandResult, Progress } from '../../src/commands/context.ts'
import { rollOut } from '../../src/commands/rollOut.ts'
import type { ServiceObject, ServiceOrder } from '../../src/convert/stackSpec.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import { aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

/** Before all that happens in the swarm. */
const sending = (): number => Date.UTC(2026, 0, 1)

/** Long after all that happens in the swarm, which has a clock of its own: no window is waited for. */
const now = (): number => Date.UTC(2026, 1, 1) + performance.now()

function service(key: string, image: string, order: Partial<ServiceOrder> = {}): ServiceObject {
  return { ...aServiceObject('shop', key, { image }), order: { wave: 0, isSequential: false, after: [], ...order } }
}

interface RunOptions {
  readonly wait?: boolean
  /** Milliseconds until the time is up. */
  readonly remaining?: number
  /** Cancels the run when a line of the log matches. */
  readonly cancelAt?: RegExp
  /** The manager's clock (ms). */
  readonly clock?: () => number
  readonly monitor?: number
}

/** One deployment: writes, waits and the record, in the order in which they happened. */
async function run(swarm: MemorySwarm, services: readonly ServiceObject[], options: RunOptions = {}) {
  const { wait = true, remaining = 60_000, cancelAt, clock, monitor = 1 } = options
  const cancelled = new AbortController()
  const progress: Progress = { changes: [], services: [] }
  const journal = new WriteJournal()
  const lines: string[] = []
  const warnings: string[] = []
  const info = (line: string): void => {
    lines.push(line)
    if (cancelAt?.test(line)) cancelled.abort()
  }
  const context: Pick<CommandContext, 'workspace' | 'cancelled' | 'progress' | 'warn' | 'journal'> & {
    readonly inputs: Pick<
      CommandContext['inputs'],
      'wait' | 'monitor' | 'maxFailures' | 'manifest' | 'logLines' | 'logLinesHidden'
    >
    readonly log: Pick<CommandContext['log'], 'info' | 'group'>
    readonly deadline: Pick<CommandContext['deadline'], 'remaining' | 'signal'>
  } = {
    inputs: { wait, monitor, maxFailures: 1, manifest: ['stack.yml'], logLines: 0, logLinesHidden: false },
    workspace: '/w',
    cancelled: cancelled.signal,
    progress,
    warn: ({ message }) => {
      warnings.push(message)
    },
    journal,
    log: { info, group: info },
    deadline: { remaining: () => remaining, signal: new AbortController().signal },
  }
  const events: string[] = []
  const { engine } = swarm
  const spec = aStackSpec('shop', { services })
  const backend = new Backend(engine, { journal, log: info, now: clock ?? sending })
  const planned = await backend.planStack(spec, 'never')
  const application = await backend.beginStack(planned)
  const before = swarm.calls.length
  let result: CommandResult | undefined
  let error: unknown
  try {
    result = await rollOut(
      context as unknown as CommandContext,
      { engine, now: clock ?? now, swarmId: 's1', prolong: () => {}, close: async () => {} },
      spec,
      planned,
      {
        ...application,
        services: async (steps) => {
          const done = await application.services(steps)
          const written = done.flatMap(({ key, written: isNew }) => (isNew ? [key] : []))
          events.push(written.length === 0 ? 'nothing' : written.join('+'))
          return done
        },
      },
      {
        firstRead: (clock ?? now)(),
        store: async () => {
          events.push('record')
        },
      },
    )
  } catch (thrown) {
    error = thrown
  }
  return { result, error, events, lines, warnings, progress, journal, calls: swarm.calls.slice(before) }
}

const db = service('db', 'tb/ok:1')
const migrate = (image: string): ServiceObject => {
  const job = service('migrate', image, { wave: 1 })
  return { ...job, spec: { ...job.spec, Mode: { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } } } }
}
const app = (image: string): ServiceObject => service('app', image, { wave: 2 })

const stateOf = ({ progress }: { readonly progress: Progress }): readonly string[] =>
  progress.services
    .map(({ name, state, reason }) => `${name} ${state}${state === 'progressing' ? `: ${reason}` : ''}`)
    .sort()

test('each wave is written when the one before it has converged, and the record right after the first', async () => {
  const swarm = createMemorySwarm()
  const { result, events, calls, lines } = await run(swarm, [app('tb/ok:1'), db, migrate('tb/job:1')])
  assert.deepEqual(result, { status: 'converged' })
  assert.deepEqual(events, ['db', 'record', 'migrate', 'app'])
  const order = calls.filter((call) => call === 'createService' || call === 'listServices')
  assert.deepEqual(
    order.filter((call, index) => call !== order[index - 1]),
    ['createService', 'listServices', 'createService', 'listServices', 'createService', 'listServices'],
  )
  assert.ok(lines.includes('Before app: db, migrate must have converged'), lines.join('\n'))
  assert.ok(lines.includes('Deploy stack shop, turn 3 of 3'))

  const again = await run(swarm, [app('tb/ok:1'), db, migrate('tb/job:1')])
  assert.deepEqual([again.result, again.events], [{ status: 'unchanged' }, ['nothing', 'record']])
  assert.equal(again.calls.filter((call) => call === 'listServices').length, 1, 'one look, and it is judged')
})

test('what is warned of at each wait is said once', async () => {
  const swarm = createMemorySwarm()
  const agent = service('agent', 'tb/ok:1')
  const nowhere = { Global: {} }
  const spec = { ...agent.spec, Mode: nowhere }
  spec.TaskTemplate = { ...spec.TaskTemplate, Placement: { Constraints: ['node.labels.gpu == yes'] } }
  const { result, events, warnings } = await run(swarm, [{ ...agent, spec }, migrate('tb/job:1'), app('tb/ok:1')])
  assert.deepEqual([result?.status, events], ['converged', ['agent', 'record', 'migrate', 'app']])
  assert.equal(warnings.length, 1, warnings.join('\n'))
})

test('a job that fails stops the rest, which stays as it was', async () => {
  const swarm = createMemorySwarm()
  await run(swarm, [app('tb/ok:1'), db, migrate('tb/job:1')])
  const failed = await run(swarm, [app('tb/ok:2'), db, migrate('tb/crash:1')])
  assert.equal(failed.result?.status, 'failed')
  assert.deepEqual(failed.events, ['nothing', 'record', 'migrate'])
  assert.match(failed.result?.failure?.message ?? '', /^service migrate: .*; not written therefore: app$/)
  assert.equal(failed.result?.failure?.service, 'migrate')
  assert.deepEqual(stateOf(failed), [
    'app progressing: not written: migrate had not converged',
    'db converged',
    'migrate failed',
  ])
  assert.deepEqual(failed.progress.services.find(({ name }) => name === 'app')?.running, 1, 'as it stood')
  assert.deepEqual(
    failed.progress.changes.map(({ name }) => name),
    ['shop_migrate'],
  )
  assert.deepEqual(failed.journal.report().notApplied, ['service shop_app'])
  assert.equal(swarm.service('shop_app').Spec.TaskTemplate.ContainerSpec?.Image, 'tb/ok:1')

  const mended = await run(swarm, [app('tb/ok:2'), db, migrate('tb/job:2')])
  assert.deepEqual([mended.result?.status, mended.events], ['converged', ['nothing', 'record', 'migrate', 'app']])
})

test('what an earlier run left unfinished is waited for, too', async () => {
  const swarm = createMemorySwarm()
  await run(swarm, [app('tb/ok:1'), db, migrate('tb/slow:1')], { remaining: 1 })
  const { result, events, progress } = await run(swarm, [app('tb/ok:1'), db, migrate('tb/slow:1')], { remaining: 1 })
  assert.deepEqual([result?.status, events], ['timed-out', ['nothing', 'record']])
  assert.match(result?.failure?.message ?? '', /migrate: .*; not written therefore: app$/)
  assert.deepEqual(progress.changes, [])
})

test('a cancelled wait says what is not written', async () => {
  const swarm = createMemorySwarm()
  const { result, error, events, progress, journal } = await run(swarm, [app('tb/ok:1'), db, migrate('tb/slow:1')], {
    cancelAt: /Before app/,
  })
  assert.equal(result, undefined)
  assert.ok(error instanceof Error)
  assert.deepEqual(events, ['db', 'record', 'migrate'])
  assert.deepEqual(journal.report().notApplied, ['service shop_app'])
  assert.match(stateOf({ progress })[0] ?? '', /^app progressing: not written/)
})

test('without wait the turns still wait for each other, and only the last is not waited for', async () => {
  const swarm = createMemorySwarm()
  const { result, events } = await run(swarm, [app('tb/slow:1'), db, migrate('tb/job:1')], { wait: false })
  assert.deepEqual([result, events], [{ status: 'deployed' }, ['db', 'record', 'migrate', 'app']])
  const failed = await run(swarm, [app('tb/ok:3'), db, migrate('tb/crash:1')], { wait: false })
  assert.deepEqual([failed.result?.status, failed.events], ['failed', ['nothing', 'record', 'migrate']])
  const alone = createMemorySwarm()
  const one = await run(alone, [db], { wait: false })
  assert.deepEqual([one.result, one.events], [{ status: 'deployed' }, ['db']], 'whoever settles it writes the record')
  const unjudged = /^Nothing was to be written\. Whether the services run was not looked at/
  assert.ok(!one.lines.some((line) => unjudged.test(line)))
  const again = await run(alone, [db], { wait: false })
  assert.deepEqual(again.result, { status: 'unchanged' })
  assert.ok(
    again.lines.some((line) => unjudged.test(line)),
    again.lines.join('\n'),
  )
})

test('sequential services are created together and updated one by one', async () => {
  const swarm = createMemorySwarm()
  const cluster = (image: string) => ['one', 'three', 'two'].map((key) => service(key, image, { isSequential: true }))
  assert.deepEqual((await run(swarm, cluster('tb/ok:1'))).events, ['one+three+two', 'record'])
  const second = await run(swarm, cluster('tb/ok:2'))
  assert.deepEqual([second.result?.status, second.events], ['converged', ['one', 'record', 'three', 'two']])
  const broken = await run(swarm, cluster('tb/crash:1'))
  assert.deepEqual([broken.result?.status, broken.events], ['failed', ['one', 'record']])
  assert.match(broken.result?.failure?.message ?? '', /^service one: .*; not written therefore: three, two$/)
})

test('the window lasts as long as it should though the clocks of manager and leader are hours apart', async () => {
  const began = performance.now()
  const hours = [0, 2, -2]
  const runs = hours.map((off) => {
    const clock = (): number => sending() + performance.now() - began + off * 3_600_000
    return run(createMemorySwarm(), [db], { clock, monitor: 2000, remaining: 20_000 })
  })
  for (const [index, { result, lines }] of (await Promise.all(runs)).entries()) {
    const log = lines.join('\n')
    assert.deepEqual(result, { status: 'converged' }, log)
    assert.match(log, /db: 1\/1 running, watched for [123] s more/)
    const off = hours[index] ?? 0
    const told = /clock of this manager is about 7(?:19|20)\d s (\S+)/.exec(log)?.[1]
    assert.equal(told, off === 0 ? undefined : off > 0 ? 'ahead' : 'behind', log)
  }
})
