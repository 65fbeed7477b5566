import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError, type LogLine } from '../../src/engine/engine.ts'
import { assess } from '../../src/health/assess.ts'
import { remedies } from '../../src/health/remedies.ts'
import type { Diagnosis } from '../../src/report/outcome.ts'
import { diagnose } from '../../src/rollout/diagnose.ts'
import type { Container } from '../../src/swarm/container.ts'
import { fixture } from '../health/fixture.ts'

const line: LogLine = { timestamp: '2026-01-01T00:00:00Z', stream: 'stderr', text: 'boom' }

async function diagnosisOf(
  name: string,
  options: {
    readonly logs?: () => Promise<readonly LogLine[]>
    readonly logLines?: number
    readonly signal?: AbortSignal
    readonly container?: (id: string) => Promise<Container>
    /** The node that the run talks to, by its hostname. */
    readonly local?: string
  } = {},
): Promise<{ readonly diagnosis: Diagnosis; readonly asked: readonly (readonly [string, number])[] }> {
  const { expectation, snapshot } = fixture(name)
  const asked: (readonly [string, number])[] = []
  const engine = {
    taskLogs: (id: string, tail: number) => {
      asked.push([id, tail])
      return options.logs?.() ?? Promise.resolve([line])
    },
    inspectContainer: (id: string) =>
      options.container?.(id) ?? Promise.reject(new EngineError('not-found', 404, 'no such container')),
  }
  const diagnosis = await diagnose(engine, assess(expectation, snapshot), snapshot, {
    localNode: snapshot.nodes.find(({ Description }) => Description.Hostname === (options.local ?? 'hb'))?.ID,
    logLines: options.logLines ?? 30,
    signal: options.signal,
  })
  return { diagnosis, asked }
}

test('a crash loop is told by its newest tasks, with exit code, error, node and log', async () => {
  const { diagnosis, asked } = await diagnosisOf('crash-loop')
  assert.equal(diagnosis.code, 'crash-loop')
  assert.equal(diagnosis.remedy, remedies['crash-loop'])
  const [newest, next] = diagnosis.tasks
  assert.ok(newest && next)
  assert.deepEqual(
    { ...newest, id: '', at: '' },
    {
      id: '',
      at: '',
      name: 'crash.1',
      node: 'hb',
      state: 'failed',
      exitCode: 3,
      error: 'task: non-zero exit (3)',
      logs: [line],
    },
  )
  assert.ok(newest.at > next.at)
  assert.equal(diagnosis.tasks.length, 5)
  assert.deepEqual(
    asked.map(([, tail]) => tail),
    [30, 30, 30, 30],
  )
  // The fifth is the task that is to start next: it has written nothing.
  assert.equal(diagnosis.tasks[4]?.state, 'ready')
})

test('a task without a container has no log, and this is said', async () => {
  const { diagnosis, asked } = await diagnosisOf('image-missing')
  assert.deepEqual(asked, [])
  assert.equal(diagnosis.tasks[0]?.error, 'No such image: tb/nosuch:1')
  assert.equal(diagnosis.tasks[0]?.exitCode, undefined)
  assert.equal(diagnosis.tasks[0]?.logsNote, 'no container was created')
})

test('a task that waits for a node is told', async () => {
  const { diagnosis } = await diagnosisOf('no-node-constraint')
  assert.deepEqual(
    diagnosis.tasks.map(({ name, node, state }) => ({ name, node, state })),
    [{ name: 'nonode.1', node: 'no node yet', state: 'pending' }],
  )
})

test('an update that Swarm gave up comes with the advice for what its tasks died of', async () => {
  const { diagnosis } = await diagnosisOf('update-paused-image')
  assert.equal(diagnosis.code, 'paused')
  assert.equal(diagnosis.remedy, `${remedies['image-pull']} ${remedies.paused}`)
})

test('advice for the very error wins', async () => {
  const { diagnosis } = await diagnosisOf('command-missing')
  assert.match(diagnosis.remedy, /entrypoint/)
})

test('what timed out is told by its pending tasks', async () => {
  const { diagnosis } = await diagnosisOf('new-starting')
  assert.equal(diagnosis.code, 'timeout')
  assert.deepEqual(diagnosis.tasks.map(({ name, state }) => `${name} ${state}`).sort(), [
    'ok.1 starting',
    'ok.3 starting',
  ])
})

test('no log lines, no reading', async () => {
  const { diagnosis, asked } = await diagnosisOf('crash-loop', { logLines: 0 })
  assert.deepEqual(asked, [])
  assert.match(diagnosis.tasks[0]?.logsNote ?? '', /`log-lines` is 0/)
})

test('a log that cannot be read is noted, and the rest is told', async () => {
  const refused = await diagnosisOf('crash-loop', { logs: () => Promise.reject(new Error('no such driver')) })
  assert.equal(refused.diagnosis.tasks[0]?.logsNote, 'the log could not be read: no such driver')
  const empty = await diagnosisOf('crash-loop', { logs: () => Promise.resolve([]) })
  assert.equal(empty.diagnosis.tasks[0]?.logsNote, 'the container wrote nothing')
})

test('a log that never comes does not hold up a run that is being stopped', async () => {
  const stop = new AbortController()
  const pending = diagnosisOf('crash-loop', { logs: () => new Promise(() => {}), signal: stop.signal })
  stop.abort(new Error('stopped'))
  const { diagnosis } = await pending
  assert.equal(diagnosis.tasks[0]?.logsNote, 'the log could not be read: stopped')
})

const sickContainer = (output: string, exitCode = 1): Container => ({
  Id: 'c',
  State: {
    Health: {
      Status: 'unhealthy',
      FailingStreak: 3,
      Log: [
        { Start: '2026-01-01T00:00:00Z', ExitCode: 0, Output: 'ok' },
        { Start: '2026-01-01T00:00:01Z', ExitCode: exitCode, Output: output },
      ],
    },
  },
})

test('an unhealthy task comes with what its health check said last', async () => {
  const { diagnosis } = await diagnosisOf('unhealthy', { container: async () => sickContainer('no database\n') })
  assert.equal(diagnosis.code, 'unhealthy')
  assert.deepEqual(diagnosis.tasks[0]?.health, { exitCode: 1, failures: 3, output: 'no database\n' })
})

test('a container that waits for its health check comes with what that says', async () => {
  const { diagnosis } = await diagnosisOf('slow-starting', {
    local: 'ha',
    container: async () => sickContainer('timed out', -1),
  })
  assert.deepEqual(diagnosis.tasks[0]?.health, { exitCode: -1, failures: 3, output: 'timed out' })
})

test('why the last word of a health check is missing is said in a line', async () => {
  const note = async (options: Parameters<typeof diagnosisOf>[1]) =>
    (await diagnosisOf('unhealthy', options)).diagnosis.tasks[0]?.healthNote
  assert.match(
    (await note({ local: 'ha' })) ?? '',
    /is known on hb only, which this run does not talk to: `docker inspect -f '\{\{json \.State\.Health\}\}' [0-9a-f]{12}` there/,
  )
  assert.equal(await note({}), 'what its health check said is gone with its container')
  const refused = { container: () => Promise.reject(new Error('boom')) }
  assert.equal(await note(refused), 'what its health check said could not be read: boom')
  const sick = async () => sickContainer('secret')
  assert.match((await note({ logLines: 0, container: sick })) ?? '', /is left out, as the log is/)
})

test('a container that the kernel killed makes it a failure of memory', async () => {
  const killed = async (): Promise<Container> => ({ Id: 'c', State: { OOMKilled: true, ExitCode: 137 } })
  const node = fixture('killed-137').snapshot.nodes
  const local = node.find(({ ID }) =>
    fixture('killed-137').snapshot.tasks.some(({ NodeID, Status }) => NodeID === ID && Status.State === 'failed'),
  )?.Description.Hostname
  const { diagnosis } = await diagnosisOf('killed-137', { container: killed, local: local ?? '' })
  assert.equal(diagnosis.code, 'out-of-memory')
  assert.match(diagnosis.sentence, /exit code 137.*; the kernel killed it for want of memory$/)
  const other = await diagnosisOf('killed-137', {
    container: async () => ({ Id: 'c', State: { OOMKilled: false } }),
    local: local ?? '',
  })
  assert.equal(other.diagnosis.code, 'crash-loop')
})

test('no container is asked where Swarm has said it all', async () => {
  const { diagnosis } = await diagnosisOf('crash-loop', { container: () => assert.fail('asked') })
  assert.ok(diagnosis.tasks.every(({ health, healthNote }) => health === undefined && healthNote === undefined))
})
