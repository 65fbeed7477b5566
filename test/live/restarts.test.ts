// Which tasks a plan says are replaced, and which ones are, on a real engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { liveBed } from '../support/liveBed.ts'
import { liveStacks } from '../support/liveStack.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'restarts')

type Restarts = 'all' | 'some' | 'none'
/** What the service gets beside the rest; a placement that still fits replaces nothing. */
const rows: readonly (readonly [key: string, restarts: Restarts, isReplaced: boolean, change: string])[] = [
  ['image', 'all', true, 'image: tb/ok:2'],
  ['env', 'all', true, 'environment: { LEVEL: debug }'],
  ['port', 'all', true, 'ports: [{ target: 8080, published: 18951, mode: host }]'],
  ['endpoint', 'all', true, 'deploy: { endpoint_mode: dnsrr }'],
  ['fits', 'some', false, 'deploy: { placement: { constraints: [node.role==manager] } }'],
  ['nowhere', 'some', true, 'deploy: { placement: { constraints: [node.labels.nowhere==1] } }'],
  ['updates', 'none', false, 'deploy: { update_config: { parallelism: 2 } }'],
  ['labels', 'none', false, 'deploy: { labels: { team: a } }'],
  ['replicas', 'none', false, 'deploy: { replicas: 2 }'],
]

function manifest(isChanged: boolean): string {
  const services = rows.map(([key, , , change]) => {
    const image = isChanged && change.startsWith('image:') ? '' : '    image: tb/ok:1\n'
    return `  ${key}:\n${image}    stop_grace_period: 1s\n${isChanged ? `    ${change}\n` : ''}`
  })
  return `services:\n${services.join('')}`
}

test('the tasks that a plan says are replaced are replaced, and no others', async (t) => {
  const { name, deploy, tasks, services } = stack(t, 'rows')
  const first = await deploy(manifest(false), { monitor: '1s' })
  assert.equal(first.outputs.status, 'converged', first.log)
  const before = (await tasks()).map(({ ID }) => ID)
  assert.equal(before.length, rows.length)

  const planned = await deploy(manifest(true), { command: 'plan' })
  const changes: readonly { readonly name: string; readonly restarts?: string }[] = JSON.parse(
    planned.outputs.changes ?? '',
  )
  assert.deepEqual(
    new Map(changes.map(({ name: service, restarts }) => [service.slice(name.length + 1), restarts])),
    new Map(rows.map(([key, restarts]) => [key, restarts] as const).sort(([a], [b]) => (a < b ? -1 : 1))),
  )

  // One of them can't converge, and is not meant to.
  const changed = await deploy(manifest(true), { wait: 'false' })
  assert.equal(changed.outputs.status, 'deployed', changed.log)
  const found = await settled()
  for (const [key, , isReplaced] of rows) {
    const old = found.filter(({ service, isOld }) => service === key && isOld)
    assert.deepEqual(
      old.map(({ isWanted }) => isWanted),
      [!isReplaced],
      key,
    )
    const others = found.filter(({ service, isOld }) => service === key && !isOld)
    assert.equal(others.length, isReplaced || key === 'replicas' ? 1 : 0, key)
  }

  /** All tasks that Swarm remembers, when whatever was to begin has begun. What was to stay had that long to be replaced. */
  async function settled() {
    for (const until = Date.now() + 60_000; ; await sleep(300)) {
      const keys = new Map((await services()).map(({ ID, Spec }) => [ID, Spec.Name?.slice(name.length + 1)]))
      const all = (await tasks()).map(({ ID, ServiceID, DesiredState, Status }) => ({
        service: keys.get(ServiceID),
        isOld: before.includes(ID),
        isWanted: DesiredState === 'running',
        state: Status.State,
      }))
      const isDone = rows.every(([key, , isReplaced]) =>
        all.some(
          ({ service, isOld, isWanted, state }) =>
            service === key &&
            isWanted &&
            isOld === !(isReplaced || key === 'replicas') &&
            state === (key === 'nowhere' ? 'pending' : 'running'),
        ),
      )
      if (isDone) return all
      assert.ok(Date.now() < until, JSON.stringify(all))
    }
  }
})
