// Services that are written in turns, on a real swarm: what docs/order.md promises.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import type { Task } from '../../src/swarm/task.ts'
import { engineCall } from '../support/engineCall.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, type LiveStack, liveStacks, servicesOf } from '../support/liveStack.ts'
import type { ActionResult } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'waves')
const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/order.md'), 'utf8')

/** The manifest of the page, with images that the bed has; the job ends with the exit code that a variable says. */
const shop = (/```yaml\n(services:.*?)```/s.exec(page)?.[1] ?? '')
  .replace('postgres:17', 'tb/healthy:1')
  .replace('[CMD, pg_isready], interval: 2s', '[CMD, wget, -q, -O-, "http://127.0.0.1:8080/"], interval: 500ms')
  .replaceAll('ghcr.io/acme/shop:', 'tb/ok:')
  .replace('[./migrate]', '[sh, -c, "exit $EXIT"]')
  .replaceAll(/^ {4}image: .*$/gm, '$&\n    stop_grace_period: 1s')

/** The lines of a block stand in the log, in their order. */
function assertShown({ log }: ActionResult, block: string, name: string): void {
  const [, text = ''] = new RegExp(`\`\`\`text ${block}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
  const lines = text.trim().replaceAll('shop', name).split('\n')
  let at = -1
  for (const line of lines) {
    const found = log.indexOf(line, at + 1)
    assert.ok(found > at, `${line}\n--\n${log}`)
    at = found
  }
}

/** Of one service, by its key. */
async function lookAt({ name, services, tasks }: LiveStack, key: string) {
  const service = (await services()).find(({ Spec }) => Spec.Name === `${name}_${key}`)
  const all = (await tasks()).filter((task: Task) => task.ServiceID === service?.ID)
  const at = (task: Task | undefined): number => Date.parse(task?.Status.Timestamp ?? '')
  return {
    exists: service !== undefined,
    image: service?.Spec.TaskTemplate.ContainerSpec?.Image,
    written: Date.parse(service?.UpdateStatus?.StartedAt ?? service?.CreatedAt ?? ''),
    runs: all.filter(({ Status }) => Status.State === 'complete').length,
    completedAt: Math.max(...all.filter(({ Status }) => Status.State === 'complete').map(at)),
    runningAt: Math.max(...all.filter(({ Status }) => Status.State === 'running').map(at)),
  }
}

async function recordsOf(name: string): Promise<readonly (string | undefined)[]> {
  const filters = JSON.stringify({ label: [`com.swarmcli.release=${name}`] })
  const { json } = await engineCall(bed.socket, 'GET', `/configs?filters=${encodeURIComponent(filters)}`)
  const found = json as readonly { readonly Spec: { readonly Name: string; readonly Labels: Record<string, string> } }[]
  return [...found]
    .sort((one, other) => one.Spec.Name.localeCompare(other.Spec.Name))
    .map(({ Spec }) => Spec.Labels['com.swarmcli.status'])
}

describe('turns', { concurrency: true }, () => {
  test('a database, a migration, the application: each after the one before, and a failing job stops the rest', async (t) => {
    const shown = stack(t, 'shop')
    const { name, deploy } = shown
    const run = (tag: number, exit: number) =>
      deploy(shop, { monitor: '1s', variables: `TAG=${tag}\nEXIT=${exit}\nDB_PASSWORD=of-the-test`, timeout: '5m' })

    const first = await run(1, 0)
    assert.equal(first.outputs.status, 'converged', first.log)
    assert.deepEqual(annotations(first, 'warning'), [])
    assertShown(first, 'first', name)
    const [db, job, web] = [await lookAt(shown, 'db'), await lookAt(shown, 'migrate'), await lookAt(shown, 'web')]
    assert.ok(db.runningAt <= job.completedAt && job.completedAt <= web.written, first.log)
    assert.equal(job.runs, 1)

    const same = await run(1, 0)
    assert.equal(same.outputs.status, 'unchanged', same.log)
    assert.equal((await lookAt(shown, 'migrate')).runs, 1)

    const second = await run(2, 0)
    assert.equal(second.outputs.status, 'converged', second.log)
    assert.deepEqual(changesOf(second), [`update service ${name}_migrate`, `update service ${name}_web`])
    const [again, updated] = [await lookAt(shown, 'migrate'), await lookAt(shown, 'web')]
    assert.ok(again.completedAt > job.completedAt && again.completedAt <= updated.written, second.log)

    const failed = await run(1, 3)
    assert.deepEqual([failed.code, failed.outputs.status], [1, 'failed'], failed.log)
    assert.match(failed.outputs['failure-message'] ?? '', /service migrate: .*not written therefore: web/)
    assert.deepEqual(
      [failed.outputs['failed-service'], failed.outputs['failure-reason'], changesOf(failed)],
      ['migrate', 'exited', [`update service ${name}_migrate`]],
    )
    assertShown(failed, 'failed', name)
    assert.deepEqual(
      servicesOf(failed).map(({ name: key, state, running, desired }) => [key, state, running, desired]),
      [
        ['db', 'converged', 1, 1],
        ['migrate', 'failed', 0, 1],
        ['web', 'progressing', 1, 1],
      ],
    )
    assert.match(servicesOf(failed)[2]?.reason ?? '', /^not written: migrate had not converged$/)
    assert.equal((await lookAt(shown, 'web')).image, 'tb/ok:2')
    assert.deepEqual(await recordsOf(name), ['deployed', 'deployed', 'failed'])

    const mended = await run(1, 0)
    assert.equal(mended.outputs.status, 'converged', mended.log)
    assert.equal((await lookAt(shown, 'web')).image, 'tb/ok:1')
  })

  test('a migration that still runs is waited for by later runs; time and cancellation name what is not written', async (t) => {
    const slow = stack(t, 'slow')
    const { name, start, deploy } = slow
    const manifest = `services:
  migrate:
    image: tb/ok:1
    command: [sleep, "45"]
    stop_grace_period: 1s
    deploy: { mode: replicated-job, restart_policy: { condition: none } }
  web:
    image: tb/ok:1
    stop_grace_period: 1s
    depends_on: { migrate: { condition: service_completed_successfully } }
    deploy: { labels: { com.swarmcli.wave: "1" } }
`
    const action = start(manifest, { monitor: '1s' })
    await action.untilLine('migrate: 0/1')
    const cancelled = await action.cancel()
    assert.equal(cancelled.outputs.status, 'cancelled', cancelled.log)
    assert.match(cancelled.log, new RegExp(`^Not applied: service ${name}_web$`, 'm'))
    assert.match(cancelled.log, /^ {2}web: progressing, 0\/0: not written/m)

    const late = await deploy(manifest, { timeout: '8s', monitor: '1s' })
    assert.equal(late.outputs.status, 'timed-out', late.log)
    assert.match(late.outputs['failure-message'] ?? '', /migrate: .*not written therefore: web/)
    assert.equal((await lookAt(slow, 'web')).exists, false)

    const done = await deploy(manifest, { monitor: '1s', timeout: '5m', wait: 'false' })
    assert.equal(done.outputs.status, 'deployed', done.log)
    const [job, web] = [await lookAt(slow, 'migrate'), await lookAt(slow, 'web')]
    assert.equal(job.runs, 1)
    assert.ok(job.completedAt <= web.written)
  })

  test('a sequential service is updated when the others have converged', async (t) => {
    const cluster = stack(t, 'cluster')
    const { deploy } = cluster
    const member = (key: string): string => `  ${key}: { <<: *member }\n`
    const manifest = (version: number): string =>
      `x-member: &member
  image: tb/ok:${version}
  stop_grace_period: 1s
  deploy: { labels: { com.swarmcli.rollout: sequential } }
services:
${['one', 'three', 'two'].map(member).join('')}  web: { image: "tb/ok:${version}", stop_grace_period: 1s }
`
    const first = await deploy(manifest(1), { monitor: '1s' })
    assert.equal(first.outputs.status, 'converged', first.log)
    assert.doesNotMatch(first.log, /turn \d of/)
    const second = await deploy(manifest(2), { monitor: '1s', timeout: '5m' })
    assert.equal(second.outputs.status, 'converged', second.log)
    assert.match(second.log, /turn 4 of 4/)
    const found = await Promise.all(['web', 'one', 'three', 'two'].map((key) => lookAt(cluster, key)))
    for (const [index, { runningAt }] of found.entries()) {
      const next = found[index + 1]
      if (next !== undefined) assert.ok(runningAt <= next.written, second.log)
    }
  })

  test('with `on-failure: rollback` the turns that were written are put back, and the others were never touched', async (t) => {
    const undone = stack(t, 'undone')
    const { name, deploy, objects } = undone
    const service = (key: string, image: string, wave: number): string =>
      `  ${key}: { image: "${image}", stop_grace_period: 1s, deploy: { labels: { com.swarmcli.wave: ${wave} } } }\n`
    const manifest = (version: number, app: string): string =>
      `services:\n${service('db', `tb/ok:${version}`, 0)}${service('app', app, 1)}${service('edge', `tb/ok:${version}`, 2)}`
    const inputs = { monitor: '1s', 'max-failures': '1', 'on-failure': 'rollback', timeout: '5m' }
    const first = await deploy(manifest(1, 'tb/ok:1'), inputs)
    assert.equal(first.outputs.status, 'converged', first.log)
    const { [`service ${name}_edge`]: edge } = await objects()

    const failed = await deploy(manifest(2, 'tb/crash:1'), inputs)
    assert.deepEqual([failed.code, failed.outputs.status], [1, 'rolled-back'], failed.log)
    assert.match(
      failed.outputs['failure-message'] ?? '',
      /service app: .*not written therefore: edge; put back as before: app, db/,
    )
    for (const key of ['db', 'app']) assert.equal((await lookAt(undone, key)).image, 'tb/ok:1', failed.log)
    assert.equal((await objects())[`service ${name}_edge`], edge)
    assert.deepEqual(await recordsOf(name), ['deployed', 'failed'])
  })
})
