import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { liveBed } from './liveBed.ts'
import { annotations, changesOf, type LiveStack, liveStacks, servicesOf } from './liveStack.ts'
import { isFine, type Look, lookAt, type MatrixRow, type Scene } from './matrixRow.ts'
import type { ActionResult } from './runner.mjs'

/** How long (ms) a busy machine may take for what needs no time: ticks, reading logs, the start and end of a process. */
const SLACK = 25_000

/** A verdict may be this much (ms) before its time, as Swarm's time stamps are those of nodes. */
const EARLY = 500

/** Deploys each row with the action, a few at once, and asks whether the verdict is as expected and came when it was due. */
export async function testRows(title: string, rows: readonly MatrixRow[]): Promise<void> {
  const bed = await liveBed()
  const stack = liveStacks(bed, 'matrix')
  describe(title, { concurrency: 5 }, () => {
    for (const row of rows) {
      test(`${row.what}: ${row.expected.reason ?? row.expected.status}`, async (t) => {
        const made = stack(t, row.label, row.files)
        const scene = sceneOf(made, bed.socket)
        const undo = await row.before?.(scene)
        if (undo !== undefined) t.after(undo)
        const startedAt = Date.now()
        const action = made.start(row.manifest, { timeout: '5m', ...row.inputs })
        const disturbed = row.meanwhile?.(scene).then(Date.now)
        const [result, disturbedAt] = await Promise.all([action.done, disturbed])
        const endedAt = Date.now()
        const look = { ...(await scene.look()), disturbedAt }
        assertSaid(result, row, made.name)
        if (result.code === 0) assertTrue(result, look)
        assertInTime(row, { startedAt, endedAt }, look, result)
      })
    }
  })
}

// --- Internal helpers ---

function sceneOf(made: LiveStack, socket: string): Scene {
  return {
    name: made.name,
    socket,
    async write(manifest) {
      const result = await made.deploy(manifest, { wait: 'false' })
      assert.equal(result.outputs.status, 'deployed', result.log)
    },
    look: () => lookAt(made),
  }
}

/** What the run says, everywhere it says it. */
function assertSaid(result: ActionResult, row: MatrixRow, name: string): void {
  const { status, 'failure-reason': reason, 'failure-message': message = '' } = result.outputs
  const { expected } = row
  const fine = isFine(row)
  assert.deepEqual([status, reason, result.code], [expected.status, expected.reason ?? '', fine ? 0 : 1], result.log)
  const services = servicesOf(result).map(
    ({ name, state, running, desired, completed }) =>
      `${name} ${state} ${completed > 0 ? `${completed}/${desired} completed` : `${running}/${desired}`}`,
  )
  const isAs = (said: string, index: number): boolean => {
    const one = expected.services[index]
    return one instanceof RegExp ? one.test(said) : said === one
  }
  if (services.length !== expected.services.length || !services.every(isAs))
    assert.deepEqual(services, expected.services, result.log)
  const errors = annotations(result, 'error')
  if (fine) assert.deepEqual([message, errors], ['', []])
  else {
    assert.ok(message.length <= 500, message)
    assert.equal(errors.length, 1, errors.join('\n'))
    assert.match(errors[0] ?? '', new RegExp(`^stack\\.yml:${expected.line ?? 3}: `))
    assert.match(result.summary, new RegExp(`\\*\\*\`${expected.reason}\`\\*\\*`))
  }
  if (expected.words !== undefined) {
    assert.match(message, expected.words)
    // When the time is up, the message counts all services, and each annotation is about one.
    if (expected.status !== 'timed-out') assert.match(errors[0] ?? '', expected.words)
  }
  if (expected.warning !== undefined) assert.match(annotations(result, 'warning').join('\n'), expected.warning)
  if (expected.log !== undefined) assert.match(result.log, expected.log)
  if (expected.summary !== undefined) assert.match(result.summary, expected.summary)
  if (expected.kept !== undefined) assert.doesNotMatch(JSON.stringify(result.outputs), expected.kept)
  if (expected.changes !== undefined) {
    const services = changesOf(result).filter((change) => change.includes(' service '))
    const short = services.map((change) => change.replace(`service ${name}_`, ''))
    assert.deepEqual(short, expected.changes, result.log)
  }
}

/** What is called converged is so: as many tasks run as was said, all of what the services want now, and nothing is under way. */
function assertTrue(result: ActionResult, { services, tasks }: Look): void {
  for (const { name, running } of servicesOf(result)) {
    const service = services.find(({ Spec }) => Spec.Name?.endsWith(`_${name}`))
    assert.doesNotMatch(service?.UpdateStatus?.State ?? '', /updating|rollback_started/, result.log)
    const images = tasks
      .filter(({ ServiceID, DesiredState }) => ServiceID === service?.ID && DesiredState === 'running')
      .filter(({ Status }) => Status.State === 'running')
      .map(({ Spec }) => Spec.ContainerSpec?.Image)
    assert.deepEqual(images, Array(running).fill(service?.Spec.TaskTemplate.ContainerSpec?.Image), result.log)
  }
}

function assertInTime(
  { expected: { told } }: MatrixRow,
  { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number },
  look: Look,
  { log }: ActionResult,
): void {
  const sign = told.sign.at(look, startedAt)
  assert.ok(Number.isFinite(sign), `Swarm shows nothing of: ${told.sign.text}\n${log}`)
  const due = sign + told.after * 1000
  assert.ok(endedAt >= due - EARLY, `told ${due - endedAt} ms before ${told.after} s after ${told.sign.text}\n${log}`)
  const late = endedAt - Math.max(due, startedAt)
  assert.ok(late <= SLACK, `told ${late} ms later than ${told.after} s after ${told.sign.text}\n${log}`)
}
