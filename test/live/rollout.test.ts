// The watch and the diagnosis on a real swarm. Each service is a stack's of its own label, made by the docker CLI.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, afterEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readSnapshot } from '../../src/backend/snapshot.ts'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { managerClock } from '../../src/engine/managerClock.ts'
import { expectationOf } from '../../src/health/since.ts'
import type { Expectation, Verdict } from '../../src/health/verdict.ts'
import { diagnose } from '../../src/rollout/diagnose.ts'
import { type WatchResult, watch } from '../../src/rollout/watch.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { liveBed } from '../support/liveBed.ts'

const STACK = 'rollout-watch'
const bed = await liveBed()
const tunnel = await openUnixTunnel(bed.socket, AbortSignal.timeout(10_000))
const engine = openEngine(tunnel.agent)
const askedAt = Date.now()
const now = managerClock(await engine.info(), askedAt, Date.now())
const read = (signal?: AbortSignal) => readSnapshot(engine, STACK, now, { signal })
const run = promisify(execFile)

async function docker(...args: readonly string[]): Promise<void> {
  await run('docker', ['-H', `unix://${bed.socket}`, ...args])
}

async function create(key: string, ...args: readonly string[]): Promise<void> {
  const label = `com.docker.stack.namespace=${STACK}`
  const common = ['--detach', '--no-resolve-image', '--stop-grace-period', '1s', '--label', label]
  await docker('service', 'create', ...common, '--container-label', label, '--name', `${STACK}_${key}`, ...args)
}

async function update(key: string, ...args: readonly string[]): Promise<void> {
  await docker('service', 'update', '--detach', '--no-resolve-image', ...args, `${STACK}_${key}`)
}

/** What to expect of services; `before` is what `UpdatedAt` was before a write. */
async function expectations(
  keys: readonly string[],
  before: ReadonlyMap<string, string> = new Map(),
  written: (key: string) => boolean = () => true,
): Promise<readonly Expectation[]> {
  const { services } = await read()
  return keys.map((key) => {
    const name = `${STACK}_${key}`
    return expectationOf(
      services.find(({ Spec }) => Spec.Name === name),
      {
        key,
        name,
        written: written(key),
        previousUpdatedAt: before.get(name),
        firstRead: now(),
        maxFailures: 3,
      },
    )
  })
}

async function watched(expected: readonly Expectation[], seconds = 45): Promise<WatchResult> {
  return watch({
    read,
    expectations: expected,
    now,
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
    deadline: now() + seconds * 1000,
    onVerdicts: () => {},
  })
}

async function removeAll(): Promise<void> {
  const services = await engine.listServices({ label: [`com.docker.stack.namespace=${STACK}`] })
  await Promise.all(services.map(({ ID }) => engine.removeService(ID)))
}

async function updatedAt(): Promise<ReadonlyMap<string, string>> {
  const { services } = await read()
  return new Map(services.map(({ Spec, UpdatedAt }) => [Spec.Name ?? '', UpdatedAt]))
}

function byKey(verdicts: readonly Verdict[]): Readonly<Record<string, string>> {
  return Object.fromEntries(verdicts.map(({ key, condition, sentence }) => [key, `${condition}: ${sentence}`]))
}

await removeAll()
afterEach(removeAll)
after(() => tunnel.close())

test('a sound stack of all modes converges, and an update is judged by its new tasks only', async () => {
  await Promise.all([
    create('web', '--replicas', '2', 'tb/ok:1'),
    create('agent', '--mode', 'global', 'tb/ok:1'),
    create('late', 'tb/slow:1'),
    create('none', '--replicas', '0', 'tb/ok:1'),
    create('once', '--restart-condition', 'none', 'tb/job:1'),
    create('job', '--mode', 'replicated-job', '--replicas', '2', 'tb/job:1'),
    create('nowhere', '--mode', 'global', '--constraint', 'node.labels.disk==none', 'tb/ok:1'),
  ])
  const keys = ['web', 'agent', 'late', 'none', 'once', 'job', 'nowhere']
  const first = await watched(await expectations(keys))
  assert.deepEqual(byKey(first.verdicts), {
    web: 'converged: 2/2 running',
    agent: 'converged: 1/1 running',
    late: 'converged: 1/1 running',
    none: 'converged: 0/0, none wanted',
    once: 'converged: 1/1 completed',
    job: 'converged: 2/2 completed',
    nowhere: 'converged: 0/0, no node matches',
  })
  assert.equal(first.kind, 'converged')
  assert.match(first.verdicts.at(-1)?.warning ?? '', /nowhere runs nowhere/)

  const again = Date.now()
  const untouched = await watched(await expectations(keys, undefined, () => false))
  assert.equal(untouched.kind, 'converged')
  assert.ok(Date.now() - again < 1000, 'what had converged is converged at the first look')

  const before = await updatedAt()
  await update('web', '--image', 'tb/ok:2')
  await update('agent', '--label-add', 'a=b')
  const second = await watched(await expectations(['web', 'agent'], before))
  assert.deepEqual(byKey(second.verdicts), { web: 'converged: 2/2 running', agent: 'converged: 1/1 running' })
  const web = second.snapshot?.services.find(({ Spec }) => Spec.Name === `${STACK}_web`)
  const live = second.snapshot?.tasks.filter(
    (task) => task.ServiceID === web?.ID && task.DesiredState === 'running' && task.Status.State === 'running',
  )
  assert.deepEqual(
    live?.map((task) => task.Spec.ContainerSpec?.Image),
    ['tb/ok:2', 'tb/ok:2'],
  )

  const earlier = await updatedAt()
  await update('web', '--replicas', '1')
  const third = await watched(await expectations(['web'], earlier))
  assert.deepEqual(byKey(third.verdicts), { web: 'converged: 1/1 running' })
})

test('a failed task is diagnosed by its exit code, its error and the end of its log', async () => {
  await create('crash', 'tb/crash:1')
  const { kind, verdicts, snapshot } = await watched(await expectations(['crash']))
  const [verdict] = verdicts
  assert.deepEqual([kind, verdict?.code], ['failed', 'crash-loop'])
  assert.ok(verdict && snapshot)
  const { Swarm } = await engine.info()
  const { tasks } = await diagnose(engine, verdict, snapshot, { localNode: Swarm.NodeID, logLines: 5 })
  const [newest] = tasks
  assert.equal(newest?.exitCode, 3)
  assert.equal(newest?.error, 'task: non-zero exit (3)')
  assert.deepEqual(
    newest?.logs.map(({ stream, text }) => `${stream} ${text}`),
    ['stderr boom'],
  )
})
