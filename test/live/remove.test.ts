// `command: remove` as a workflow runs it: what is gone afterwards, what is waited for, and what is told when it is not gone.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { isTerminal, type Task } from '../../src/swarm/task.ts'
import { engineCall } from '../support/engineCall.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, liveStacks, reach, throughRelay } from '../support/liveStack.ts'
import { type ActionOptions, type ActionResult, type RunningAction, startAction } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'rm')

type Inputs = Readonly<Record<string, string>>

/** Removes without a checkout: the workspace is empty. */
function startRemoval(
  t: TestContext,
  name: string,
  inputs: Inputs = {},
  options: Partial<ActionOptions> = {},
): RunningAction {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'rm-empty-'))
  t.after(() => fs.rmSync(workspace, { recursive: true }))
  return startAction({
    workspace,
    ...options,
    inputs: { ...reach(bed), command: 'remove', 'stack-name': name, ...inputs },
  })
}

async function volumesOf(name: string): Promise<readonly string[]> {
  const filters = JSON.stringify({ label: [`com.docker.stack.namespace=${name}`] })
  const { json } = await engineCall(bed.socket, 'GET', `/volumes?filters=${encodeURIComponent(filters)}`)
  const { Volumes } = json as { readonly Volumes: readonly { readonly Name: string }[] | null }
  return (Volumes ?? []).map(({ Name }) => Name).sort()
}

/** Those whose containers may still run: ended ones are listed for a moment. */
function alive(tasks: readonly Task[]): readonly Task[] {
  return tasks.filter((task) => !isTerminal(task.Status.State))
}

function statusOf({ outputs, code }: ActionResult): readonly unknown[] {
  return [outputs.status, outputs.changed, code]
}

const shop = `services:
  web: { image: tb/ok:1, stop_grace_period: 1s, networks: [front, back], deploy: { replicas: 2 } }
  db:
    image: tb/ok:1
    stop_grace_period: 1s
    networks: [back]
    volumes: ["data:/data"]
    configs: [settings]
    secrets: [token]
networks: { front: {}, back: {} }
volumes: { data: {} }
configs: { settings: { file: ./settings } }
secrets: { token: { file: ./token } }
`
const files = { settings: 'colour: red\n', token: 'a-long-secret-token\n' }

describe('command: remove', { concurrency: true }, () => {
  test('everything of the stack goes, then it is not there any more; volumes stay until they are asked for', async (t) => {
    const { name, deploy, objects, tasks } = stack(t, 'shop', files)
    const deployed = await deploy(shop, { monitor: '1s' })
    assert.equal(deployed.outputs.status, 'converged', deployed.log)

    const removed = await startRemoval(t, name).done
    assert.deepEqual(statusOf(removed), ['removed', 'true', 0], removed.log)
    assert.deepEqual(await objects(), {})
    assert.deepEqual(alive(await tasks()), [])
    assert.deepEqual(
      changesOf(removed).filter((change) => !change.includes('swarmcli.release')),
      [
        `remove service ${name}_db`,
        `remove service ${name}_web`,
        `remove config ${name}_settings`,
        `remove secret ${name}_token`,
        `remove network ${name}_back`,
        `remove network ${name}_front`,
      ],
    )
    assert.equal(removed.outputs['stack-name'], name)
    assert.match(removed.outputs.manager ?? '', /^1 manager/)
    assert.match(removed.outputs['engine-version'] ?? '', /^\d+\./)
    assert.match(removed.outputs['duration-ms'] ?? '', /^\d+$/)
    assert.match(
      removed.log,
      new RegExp(`Volumes stay on manager: ${name}_data\\. .remove-volumes: true. removes them`),
    )
    assert.match(removed.log, new RegExp(`✅ The stack ${name} is removed \\(removed, `))
    assert.match(removed.summary, new RegExp(`remove secret .${name}_token`))
    assert.deepEqual(await volumesOf(name), [`${name}_data`])

    const again = await startRemoval(t, name, { 'remove-volumes': 'true' }).done
    assert.deepEqual(statusOf(again), ['removed', 'true', 0], again.log)
    assert.deepEqual(changesOf(again), [`remove volume ${name}_data`])
    assert.match(again.log, new RegExp(`There is no stack ${name} on this swarm`))
    assert.deepEqual(await volumesOf(name), [])
    assert.deepEqual(annotations(again, 'warning'), [])

    const absent = await startRemoval(t, name, { 'remove-volumes': 'true' }).done
    assert.deepEqual(statusOf(absent), ['removed', 'false', 0], absent.log)
    assert.deepEqual(changesOf(absent), [])
  })

  test('the release records go last, and with the stack', async (t) => {
    const { name, deploy } = stack(t, 'records', files)
    await deploy('services: { web: { image: "tb/ok:1", deploy: { replicas: 0 } } }')
    await engineCall(bed.socket, 'POST', '/configs/create', {
      Name: `swarmcli.release.${name}.v7`,
      Labels: { 'com.swarmcli.type': 'release', 'com.swarmcli.release': name },
      Data: 'e30=',
    })
    const result = await startRemoval(t, name).done
    assert.deepEqual(statusOf(result), ['removed', 'true', 0], result.log)
    assert.match(changesOf(result).at(-1) ?? '', /^remove config swarmcli\.release\./)
    assert.ok(changesOf(result).includes(`remove config swarmcli.release.${name}.v7`), result.log)
    const { json } = await engineCall(bed.socket, 'GET', '/configs')
    const left = (json as readonly { readonly Spec: { readonly Name: string } }[]).map(({ Spec }) => Spec.Name)
    assert.deepEqual(
      left.filter((config) => config.includes(`.${name}.`)),
      [],
    )
  })

  test('without a name nothing is guessed, not even from a manifest; mistakes in a manifest do not matter', async (t) => {
    const { name, workspace } = stack(t, 'unnamed')
    fs.writeFileSync(path.join(workspace, 'stack.yml'), `name: ${name}\nservices: { web: { imagee: [ } }\n`)
    const unnamed = await startRemoval(t, '', {}, { workspace }).done
    assert.deepEqual(statusOf(unnamed), ['refused', 'false', 1], unnamed.log)
    assert.equal(unnamed.outputs['failure-reason'], 'input')
    assert.match(unnamed.log, /`stack-name` is missing/)
    assert.match(unnamed.log, /was not removed: nothing was written/)
    const named = await startRemoval(t, name, { manifest: 'stack.yml', monitor: '1h' }, { workspace }).done
    assert.deepEqual(statusOf(named), ['removed', 'false', 0], named.log)
  })

  test("another repository's stack is refused, unless it is adopted", async (t) => {
    const { name, deploy, objects } = stack(t, 'foreign')
    const deployed = await deploy(
      'services: { web: { image: "tb/ok:1", deploy: { replicas: 0 } } }',
      {},
      { event: { repository: 'acme/shop' } },
    )
    assert.equal(deployed.code, 0, deployed.log)
    const before = await objects()
    const other = { event: { repository: 'acme/other' } }
    const refused = await startRemoval(t, name, { 'remove-volumes': 'true' }, other).done
    assert.deepEqual(statusOf(refused), ['refused', 'false', 1], refused.log)
    assert.equal(refused.outputs['failure-reason'], 'conflict')
    assert.match(refused.outputs['failure-message'] ?? '', /belongs to gha\/acme\/shop/)
    assert.deepEqual(await objects(), before)
    const adopted = await startRemoval(t, name, { adopt: 'true' }, other).done
    assert.deepEqual(statusOf(adopted), ['removed', 'true', 0], adopted.log)
    assert.deepEqual(await objects(), {})
  })

  const stubborn = (seconds: number, more = ''): string =>
    `services: { slow: { image: "tb/stubborn:1", stop_grace_period: ${seconds}s${more} } }`

  test('a container that takes its time to stop is waited for, then its volume goes; the log is as the page shows it', async (t) => {
    const { name, deploy, objects, tasks } = stack(t, 'patient', files)
    const manifest = `services:
  web: { image: tb/ok:1, stop_grace_period: 1s, networks: [front] }
  db:
    image: tb/stubborn:1
    stop_grace_period: 10s
    networks: [front]
    volumes: ["data:/data"]
    configs: [settings]
networks: { front: {} }
volumes: { data: {} }
configs: { settings: { file: ./settings } }
`
    const deployed = await deploy(manifest, { monitor: '1s' })
    assert.equal(deployed.code, 0, deployed.log)
    const result = await startRemoval(t, name, { 'remove-volumes': 'true' }).done
    assert.deepEqual(statusOf(result), ['removed', 'true', 0], result.log)
    assert.ok(result.durationMs > 8000, `it took ${result.durationMs} ms`)
    assert.deepEqual([await objects(), alive(await tasks()), await volumesOf(name)], [{}, [], []])

    const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/remove.md'), 'utf8')
    const [, shown = ''] = /```text removed\n(.*?)```/s.exec(page) ?? []
    const lines = shown.trim().replaceAll('shop', name).split('\n')
    assert.ok(lines.length > 8)
    for (const line of lines) {
      // Times, and what has ended at that moment, are this run's own.
      if (line.includes('still there')) {
        assert.match(result.log, /still there: .*_db\.1 on manager, network .* \(a container has up to 10 s to stop\)/)
      } else if (line.startsWith('✅')) assert.match(result.log, /is removed \(removed, .* 6 changes\)/)
      else assert.ok(result.log.includes(line), `${line}\n--\n${result.log}`)
    }
  })

  test('with `wait: false` nothing is waited for; a time that is too short tells what is left, and where', async (t) => {
    const { name, deploy, objects, tasks } = stack(t, 'hasty')
    await deploy(stubborn(600), { monitor: '1s' })
    const late = await startRemoval(t, name, { timeout: '10s' }).done
    assert.deepEqual(statusOf(late), ['timed-out', 'true', 1], late.log)
    assert.equal(late.outputs['failure-reason'], 'timeout')
    assert.match(late.outputs['failure-message'] ?? '', new RegExp(`left: task ${name}_slow\\.1 on manager, network`))
    assert.match(late.log, new RegExp(`The stack ${name} was not gone in time`))
    const hasty = await startRemoval(t, name, { wait: 'false' }).done
    assert.equal(hasty.outputs.status, 'removed', hasty.log)
    const [task] = alive(await tasks())
    assert.ok(task, 'its container should be stopping still')
    const patient = startRemoval(t, name)
    await patient.untilLine(/still there/)
    await engineCall(bed.socket, 'POST', `/containers/${task.Status.ContainerStatus?.ContainerID}/kill`)
    const result = await patient.done
    assert.equal(result.outputs.status, 'removed', result.log)
    assert.deepEqual([await objects(), alive(await tasks())], [{}, []])
  })

  test('a config that another stack uses stays, the rest goes, and the run fails with its name', async (t) => {
    const { name, deploy, objects } = stack(t, 'lender', files)
    const guest = stack(t, 'guest')
    await deploy(shop.replace('replicas: 2', 'replicas: 0'), { wait: 'false' })
    await guest.deploy(`services: { user: { image: "tb/ok:1", configs: [c], deploy: { replicas: 0 } } }
configs: { c: { external: true, name: ${name}_settings } }
`)
    const result = await startRemoval(t, name).done
    assert.deepEqual(statusOf(result), ['failed', 'true', 1], result.log)
    assert.match(
      result.outputs['failure-message'] ?? '',
      new RegExp(`left: config ${name}_settings: .*${guest.name}_user`),
    )
    assert.deepEqual(Object.keys(await objects()), [`config ${name}_settings`])
    assert.match(result.log, /Not applied: config/)
    await startRemoval(t, guest.name).done
    const again = await startRemoval(t, name).done
    assert.deepEqual(statusOf(again), ['removed', 'true', 0], again.log)
    assert.deepEqual(await objects(), {})
  })

  test('a volume that a container of somebody else has is named and stays, and so do the release records', async (t) => {
    const { name, deploy, objects } = stack(t, 'kept', files)
    await deploy(shop, { monitor: '1s' })
    const { json } = await engineCall(bed.socket, 'POST', '/containers/create', {
      Image: 'tb/ok:1',
      HostConfig: { Binds: [`${name}_data:/data`] },
    })
    const { Id: guest } = json as { readonly Id: string }
    const failed = await startRemoval(t, name, { 'remove-volumes': 'true' }).done
    await engineCall(bed.socket, 'DELETE', `/containers/${guest}`)
    assert.deepEqual(statusOf(failed), ['failed', 'true', 1], failed.log)
    assert.match(failed.outputs['failure-message'] ?? '', new RegExp(`not its volume: ${name}_data \\(.*in use`))
    assert.match(failed.log, new RegExp(`docker ps -a --filter volume=${name}_data`))
    assert.match(failed.log, /Not applied: .*swarmcli\.release\./)
    assert.deepEqual([await objects(), await volumesOf(name)], [{}, [`${name}_data`]])
    const again = await startRemoval(t, name, { 'remove-volumes': 'true' }).done
    assert.deepEqual(statusOf(again), ['removed', 'true', 0], again.log)
    assert.deepEqual(changesOf(again), [`remove volume ${name}_data`, `remove config swarmcli.release.${name}.v1`])
  })

  test('cancelled while it waits, it ends at once and says what is removed; run again, it finishes', async (t) => {
    const { name, deploy, objects, tasks } = stack(t, 'cancelled')
    await deploy(stubborn(12), { monitor: '1s' })
    const action = startRemoval(t, name)
    await action.untilLine(/still there/)
    const at = performance.now()
    const result = await action.cancel()
    assert.ok(performance.now() - at < 7000, result.log)
    assert.deepEqual(statusOf(result), ['cancelled', 'true', 1], result.log)
    assert.match(result.log, new RegExp(`Applied: service ${name}_slow`))
    assert.match(result.log, /Run the workflow again to remove what is left/)
    const again = await startRemoval(t, name).done
    assert.equal(again.outputs.status, 'removed', again.log)
    assert.deepEqual([await objects(), alive(await tasks())], [{}, []])
  })

  test('cut off in the middle, it fails and tells what is unknown; run again, it leaves nothing', async (t) => {
    const { name, deploy, objects, tasks } = stack(t, 'cut', files)
    await deploy(shop, { monitor: '1s' })
    const { relay, inputs } = await throughRelay(t, bed)
    const action = startRemoval(t, name, { ...inputs, timeout: '20s' })
    await action.untilLine(/Removing service/)
    relay.cut()
    const result = await action.done
    assert.equal(result.code, 1, result.log)
    assert.ok(['failed', 'timed-out'].includes(result.outputs.status ?? ''), result.log)
    assert.equal(result.outputs['failure-reason'], 'connection', result.log)
    assert.match(result.log, /Not applied: .*network/)
    const again = await startRemoval(t, name).done
    assert.equal(again.outputs.status, 'removed', again.log)
    assert.deepEqual([await objects(), alive(await tasks())], [{}, []])
  })
})
