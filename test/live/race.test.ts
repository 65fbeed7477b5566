// Right after an update Swarm still shows tasks, a status and a version of before. Here each update is judged at once, and the engine is
// asked at the moment of the verdict whether it is true.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Backend } from '../../src/backend/backend.ts'
import { readSnapshot } from '../../src/backend/snapshot.ts'
import { convertStack } from '../../src/convert/convertStack.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { managerClock } from '../../src/engine/managerClock.ts'
import { expectationOf } from '../../src/health/since.ts'
import type { Snapshot, Verdict } from '../../src/health/verdict.ts'
import { watch } from '../../src/rollout/watch.ts'
import type { Service, UpdateOrder } from '../../src/swarm/service.ts'
import type { Task } from '../../src/swarm/task.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { loadTexts } from '../support/composeFiles.ts'
import { liveBed } from '../support/liveBed.ts'
import { type LiveStack, liveStacks } from '../support/liveStack.ts'
import { lookAt, runs } from '../support/matrixRow.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'judged')
const tunnel = await openUnixTunnel(bed.socket, AbortSignal.timeout(10_000))
const engine = openEngine(tunnel.agent)
const askedAt = Date.now()
const now = managerClock(await engine.info(), askedAt, Date.now())
after(() => tunnel.close())

/** How tasks are replaced. */
interface Manner {
  readonly order: UpdateOrder
  readonly replicas: number
  readonly parallelism: number
}

interface Version {
  /** Its tasks bear it, and those that fail exit with it: a version that was there before has the number that it had then. */
  readonly number: number
  /** What becomes of it. */
  readonly ends: 'converged' | 'paused' | 'rolled-back' | 'crash-loop'
}

interface Update extends Version {
  readonly what: string
  /** Written just before it, and not waited for. */
  readonly hurried?: Version
}

const good = (number: number): Version => ({ number, ends: 'converged' })

/** Updates of a service, each over what the one before it left. */
function updatesFrom(first: number): readonly Update[] {
  const [a, b, c] = [good(first), good(first + 1), good(first + 2)]
  const crashing: Version = { number: first + 3, ends: 'paused' }
  return [
    { what: 'another version', ...a },
    { what: 'one that crashes', ...crashing },
    { what: 'a good one over it', ...b },
    { what: 'the one that crashed, again', ...crashing },
    { what: 'back to the good one', ...b },
    { what: 'there and back in a hurry', hurried: c, ...b },
    { what: 'there and back in a hurry, again', hurried: a, ...b },
    { what: 'there and back from one that crashes', hurried: crashing, ...b },
    { what: 'one while another is on its way', hurried: a, ...c },
    { what: 'one that Swarm rolls back', number: first + 4, ends: 'rolled-back' },
    { what: 'a good one during the rollback', ...good(first + 5) },
    { what: 'one that crashes again and again', number: first + 6, ends: 'crash-loop' },
    { what: 'a good one over the crash loop', ...a },
  ]
}

/**
 * Of its own failures a good one may have none, so that a single one of before would be seen. Swarm needs a while to give an update up,
 * and its word is waited for where it is to come.
 */
const maxFailures = { converged: 1, paused: 0, 'rolled-back': 0, 'crash-loop': 2 }

const actions = { converged: 'pause', paused: 'pause', 'rolled-back': 'rollback', 'crash-loop': 'continue' }

/** A good one ends as soon as it is asked to. `written` is another each time, and says nothing of the tasks. */
function manifestOf({ number, ends }: Version, written: number, { order, replicas, parallelism }: Manner): string {
  const command = ends === 'converged' ? 'trap "exit 0" TERM; sleep 1000000 & wait' : `exit ${number}`
  // Where a failure has to fall into Swarm's own window, that is long, however slow the machine.
  const monitor = ends === 'converged' ? '200ms' : '60s'
  return `services:
  web:
    image: tb/ok:${1 + (number % 2)}
    command: [sh, -c, '${command}']
    environment: { NUMBER: '${number}' }
    stop_grace_period: 1s
    deploy:
      labels: { written: '${written}' }
      replicas: ${replicas}
      restart_policy: { delay: 100ms }
      update_config: { order: ${order}, parallelism: ${parallelism}, monitor: ${monitor}, failure_action: ${actions[ends]} }
      rollback_config: { monitor: 200ms }
`
}

/** What the engine itself shows. */
interface Truth {
  readonly service: Service | undefined
  readonly tasks: readonly Task[]
}

async function truthOf(stack: LiveStack): Promise<Truth> {
  const { services, tasks } = await lookAt(stack)
  return { service: services[0], tasks }
}

const numberOf = ({ Spec }: Task): number =>
  Number(Spec.ContainerSpec?.Env?.find((line) => line.startsWith('NUMBER='))?.slice('NUMBER='.length))

const idsOf = (tasks: readonly Task[]): readonly string[] => tasks.map(({ ID }) => ID).sort()

const slotsOf = (tasks: readonly Task[]): ReadonlySet<number | undefined> => new Set(tasks.map(({ Slot }) => Slot))

/** What a verdict says, by whomever: how it ended, and the sentence of a failure. */
interface Said {
  readonly end: string | undefined
  readonly sentence: string
}

/** Holds a verdict against what the engine showed before the write, and at the moment of the verdict. */
function assertTrue(said: Said, update: Update, written: number, manner: Manner, before: Truth, at: Truth): void {
  const { number, ends, what } = update
  const { service, tasks } = at
  const state = service?.UpdateStatus?.State ?? 'none'
  const seen = tasks.map((task) => `${task.ID} of ${numberOf(task)}: ${task.Status.State}, to be ${task.DesiredState}`)
  const about = `update ${written}, ${what} (${number}), ${JSON.stringify(manner)}
said: ${said.end}: ${said.sentence}\nthe engine: ${state}\n${seen.join('\n')}`
  assert.equal(said.end, ends, about)
  // Swarm puts back a spec with its labels.
  assert.equal(service?.Spec.Labels?.written, String(ends === 'rolled-back' ? written - 1 : written), about)
  if (ends === 'converged') {
    const running = tasks.filter(runs)
    assert.deepEqual([...new Set(running.map(numberOf))], [number], about)
    // Where an update with start-first meets a restart, Swarm itself may start two tasks in a slot.
    assert.equal(slotsOf(running).size, manner.replicas, about)
    assert.match(state, /^(none|completed)$/, about)
    return
  }
  const older = new Set(idsOf(before.tasks))
  const failed = tasks.filter((task) => task.Status.State === 'failed' && numberOf(task) === number)
  assert.match(state, ends === 'paused' ? /^paused$/ : ends === 'rolled-back' ? /^rollback_/ : /./, about)
  // Swarm forgets all but a few tasks of a slot: of two failures one may be gone, and the only one of a paused update.
  const [, named = ''] = /of task (\w+)/.exec(service?.UpdateStatus?.Message ?? '') ?? []
  const isForgotten = named !== '' && !tasks.some(({ ID }) => ID === named) && !older.has(named)
  if (!isForgotten) {
    assert.ok(
      failed.some(({ ID }) => !older.has(ID)),
      about,
    )
    assert.match(said.sentence, new RegExp(`exit code ${number}: `), about)
  }
  assert.ok(!before.tasks.some(({ ID }) => said.sentence.includes(ID)), about)
}

/** What had converged stays so while nobody writes. */
function assertStands(at: Truth, later: Truth): void {
  const [then, still] = [at.tasks.filter(runs), later.tasks.filter(runs)]
  const known = new Set(idsOf(then))
  assert.ok(
    still.every(({ ID }) => known.has(ID)),
    'a task began afterwards',
  )
  assert.deepEqual(slotsOf(still), slotsOf(then))
  assert.equal(
    later.service?.UpdateStatus?.StartedAt,
    at.service?.UpdateStatus?.StartedAt,
    'an update began afterwards',
  )
}

function specOf(name: string, manifest: string): StackSpec {
  const { stack: loaded } = loadTexts([manifest])
  assert.ok(loaded)
  const { spec } = convertStack(loaded, name)
  assert.ok(spec)
  return spec
}

/** Deploys, and watches from a first look right after the write on. No window is waited for. */
async function judged(
  spec: StackSpec,
  failures: number,
  onVerdict: (verdict: Verdict, look: Snapshot) => void,
): Promise<Said> {
  const firstRead = now()
  const { services } = await new Backend(engine).deployStack(spec, 'never')
  const looks: Snapshot[] = []
  const read = async (signal?: AbortSignal): Promise<Snapshot> => {
    const look = await readSnapshot(engine, spec.namespace, now, { signal })
    looks.push(look)
    return look
  }
  const first = await read()
  const { kind, verdicts } = await watch({
    read,
    first,
    expectations: services.map((service) => {
      const live = first.services.find(({ Spec }) => Spec.Name === service.name)
      return expectationOf(live, { ...service, firstRead, monitor: 0, maxFailures: failures })
    }),
    now,
    // More looks than a run takes: each may be the wrong moment. What is longer than a pause between two bounds a look.
    sleep: (ms, signal) => sleep(ms > 5000 ? ms : Math.min(ms, 150), undefined, { signal }),
    deadline: now() + 120_000,
    onVerdicts: (changed) => {
      const look = looks.at(-1)
      assert.ok(look)
      for (const verdict of changed) onVerdict(verdict, look)
    },
  })
  const [{ code, sentence } = { sentence: '' }] = verdicts
  return { end: kind === 'failed' ? code : kind, sentence }
}

describe('an update is judged by its own tasks', { concurrency: true }, () => {
  test('52 of one service, with a first look right after each write', async (t) => {
    const made = stack(t, 'library')
    const manners: readonly Manner[] = [
      { order: 'stop-first', replicas: 1, parallelism: 1 },
      { order: 'start-first', replicas: 2, parallelism: 0 },
      { order: 'stop-first', replicas: 2, parallelism: 1 },
      { order: 'start-first', replicas: 1, parallelism: 1 },
    ]
    let written = 0
    let last: Truth | undefined
    for (const manner of manners) {
      for (const update of updatesFrom(1 + written)) {
        const before = await truthOf(made)
        if (last !== undefined) assertStands(last, before)
        const { hurried, number, what, ends } = update
        written++
        if (hurried !== undefined) {
          await new Backend(engine).deployStack(specOf(made.name, manifestOf(hurried, written, manner)), 'never')
        }
        const older = new Set(idsOf(before.tasks))
        const spec = specOf(made.name, manifestOf(update, written, manner))
        const said = await judged(spec, maxFailures[ends], (verdict, look) => {
          const about = `update ${written}, ${what}: ${verdict.sentence}`
          // Once Swarm has put another spec back, the tasks of that one are counted.
          const isOurs = look.services.every(({ Spec }) => Spec.Labels?.written === String(written))
          const own = look.tasks.filter((task) => runs(task) && numberOf(task) === number)
          assert.ok(!isOurs || verdict.running <= own.length, `counts tasks of another version: ${about}`)
          assert.ok(!verdict.failures.some(({ ID }) => older.has(ID)), `counts failures of before: ${about}`)
        })
        const at = await truthOf(made)
        assertTrue(said, update, written, manner, before, at)
        // So long that an update which was still to begin would have.
        if (hurried !== undefined) await sleep(400)
        last = ends === 'converged' ? at : undefined
      }
    }
  })

  test('ten by the action', async (t) => {
    const made = stack(t, 'action')
    const updates = updatesFrom(1).filter(({ hurried }) => hurried === undefined)
    for (const [index, update] of updates.entries()) {
      const manner: Manner = { order: index < 4 ? 'stop-first' : 'start-first', replicas: 1, parallelism: 1 }
      const before = await truthOf(made)
      let verdict: Promise<Truth> | undefined
      const { outputs, log } = await made.deploy(
        manifestOf(update, index, manner),
        { monitor: '0s', 'max-failures': String(maxFailures[update.ends]), timeout: '5m' },
        {
          onLine: (line) => {
            if (/^ *\d+ s {2}[✔✘] web: /.test(line)) verdict ??= truthOf(made)
          },
        },
      )
      assert.ok(verdict, log)
      const { status, 'failure-reason': reason, 'failure-message': sentence = '' } = outputs
      const said = { end: status === 'failed' ? reason : status, sentence: `${sentence}\n${log}` }
      assertTrue(said, update, index, manner, before, await verdict)
    }
  })
})
