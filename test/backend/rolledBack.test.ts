// Whoever sends a spec again that Swarm has just rolled back is told so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { warnOfRolledBack } from '../../src/backend/rolledBack.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { aServiceObject, aStackSpec, type ServiceParts } from '../support/stackSpecs.ts'

const web = (parts: ServiceParts): StackSpec =>
  aStackSpec('shop', {
    services: [
      aServiceObject('shop', 'web', { ...parts, spec: { UpdateConfig: { FailureAction: 'rollback' }, ...parts.spec } }),
    ],
  })

const good = web({})
const bad = web({ image: 'tb/crash:1' })

async function warningsFor(next: StackSpec): Promise<readonly string[]> {
  const swarm = createMemorySwarm()
  const backend = new Backend(swarm.engine)
  await backend.deployStack(good, 'never')
  await backend.deployStack(bad, 'never')
  assert.equal(swarm.service('shop_web').UpdateStatus?.State, 'rollback_completed')
  const { plan } = await backend.planStack(next, 'never')
  return plan.warnings.filter(({ code }) => code === 'rolled-back').map(({ message }) => message)
}

test('the same again', async () => {
  assert.match(
    (await warningsFor(bad)).join(),
    /^service web: what is to be written is what Swarm has just rolled back/,
  )
})

test('the same again with another label, which no task has', async () => {
  const labelled = web({ image: 'tb/crash:1', spec: { Labels: { a: '1' } } })
  assert.equal((await warningsFor(labelled)).length, 1)
})

test('something else, or what runs since', async () => {
  assert.deepEqual(await warningsFor(web({ image: 'tb/crash:1', container: { Env: ['A=1'] } })), [])
  assert.deepEqual(await warningsFor(good), [])
})

test('the reason is that of the newest task that failed, not what a stopped one had to say', async () => {
  const swarm = createMemorySwarm()
  const backend = new Backend(swarm.engine)
  await backend.deployStack(good, 'never')
  await backend.deployStack(bad, 'never')
  const { plan, observation } = await backend.planStack(bad, 'never')
  const [tried] = observation.tasks.filter(({ Spec }) => Spec.ContainerSpec?.Image === 'tb/crash:1')
  assert.ok(tried)
  const task = (seconds: number, State: 'failed' | 'shutdown', Err: string) => ({
    ...tried,
    ID: `${seconds}`,
    CreatedAt: new Date(Date.parse(tried.CreatedAt) + seconds * 1000).toISOString(),
    Status: { ...tried.Status, State, Err },
  })
  const tasks = [
    task(1, 'failed', 'task: non-zero exit (3)'),
    task(2, 'failed', 'task: non-zero exit (4)'),
    task(3, 'failed', 'error while removing network: unknown network n1'),
    task(4, 'shutdown', 'stopped'),
  ]
  const said: string[] = []
  warnOfRolledBack(plan.services, { ...observation, tasks }, ({ message }) => said.push(message))
  assert.match(said.join(), /has just rolled back: task: non-zero exit \(4\)$/)
})
