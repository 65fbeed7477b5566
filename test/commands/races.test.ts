// Two deployments of a stack at once, in many orders of their calls: each service is wholly of one of them, and who lost knows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { DeployError } from '../../src/errors.ts'
import { decodeRecord } from '../../src/history/decodeRecord.ts'
import { RELEASE_LABEL } from '../../src/swarm/names.ts'
import { broadStack, withoutFiles } from '../support/broadStack.ts'
import { interleaving } from '../support/interleaved.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import { type RecordedRun, recordedRun } from '../support/recordedRun.ts'

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1)

const manifest = (version: number): string => `# ${version}\n`

/** Which version each service is of: its image, its environment, its label, and the contents of what it mounts. */
async function versionsOf({ engine }: MemorySwarm, seed: string): Promise<ReadonlySet<string>> {
  const configs = new Map((await engine.listConfigs()).map((config) => [config.ID, config.Spec.Data ?? '']))
  const versions = (await engine.listServices()).flatMap(({ Spec }) => {
    const { Image = '', Env, Configs } = Spec.TaskTemplate.ContainerSpec ?? {}
    if (Spec.Name === 'shop_same') return []
    const version = /:(\d)$/.exec(Image)?.[1] ?? ''
    assert.deepEqual(Env, [`VERSION=${version}`], seed)
    assert.equal(Spec.Labels?.['com.docker.stack.image'], Image, seed)
    const rules = Configs?.find(({ File }) => File?.Name === '/rules')
    if (rules) assert.equal(atob(configs.get(rules.ConfigID) ?? ''), `are of ${version}`, seed)
    return [version]
  })
  return new Set(versions)
}

async function recordsOf({ engine }: MemorySwarm) {
  const found = await engine.listConfigs({ label: [`${RELEASE_LABEL}=shop`] })
  return found.map(({ Spec: { Name = '', Data = '' } }) => ({ Name, ...decodeRecord(Buffer.from(Data, 'base64')) }))
}

function assertTold({ error, races, warnings }: RecordedRun, seed: string): void {
  assert.ok(error instanceof DeployError, `${seed}: ${error}`)
  assert.equal(error.code, 'conflict', `${seed}: ${error.message}`)
  assert.match(error.message, /by someone else/, seed)
  assert.ok(error.remedy, seed)
  if (error.service !== undefined) assert.ok(races.length > 0, `${seed}: ${error.message}`)
  const told = warnings.filter(({ message }) => /^service \S+ was written by someone else/.test(message))
  assert.equal(told.length, races.length, seed)
}

const whole = (version: number): StackSpec => broadStack('shop', version)
const bare = (version: number): StackSpec => withoutFiles(whole(version))

for (const [what, stack, before, collisions] of [
  ['a new stack', whole, 0, ['secrets and configs']],
  ['a new stack of services and networks', bare, 0, ['services']],
  ['a stack that is there', whole, 1, ['services']],
] as const) {
  test(`two deployments of ${what} at once: ${SEEDS.length} orders`, async () => {
    const collided = new Set<string>()
    for (const number of SEEDS) {
      const seed = `seed ${number}`
      const swarm = createMemorySwarm()
      if (before > 0) await recordedRun(swarm.engine, stack(before), manifest(before))
      const take = interleaving(number)
      const runs = await Promise.all(
        [2, 3].map((version) => recordedRun(take(swarm.engine), stack(version), manifest(version))),
      )
      const lost = runs.filter(({ error }) => error !== undefined)
      for (const run of lost) assertTold(run, seed)
      const versions = await versionsOf(swarm, seed)
      // Whoever ends well does so with all of the services, unless the other one came after it and took them all.
      if (lost.length === 0) assert.equal(versions.size, 1, seed)
      for (const { error } of lost) {
        collided.add(error instanceof DeployError && error.service !== undefined ? 'services' : 'secrets and configs')
      }

      const records = await recordsOf(swarm)
      assert.equal(records.length, (before > 0 ? 1 : 0) + 2 - lost.length, seed)
      const revisions = records.map(({ revision }) => revision).sort()
      assert.deepEqual(
        revisions,
        [...revisions.keys()].map((index) => index + 1),
        seed,
      )
      for (const { Name, revision } of records) assert.equal(Name, `swarmcli.release.shop.v${revision}`, seed)

      const settled = await recordedRun(swarm.engine, stack(2), manifest(2))
      assert.equal(settled.error, undefined, `${seed}: ${settled.error}`)
      assert.deepEqual([...(await versionsOf(swarm, seed))], ['2'], seed)
      const again = await recordedRun(swarm.engine, stack(2), manifest(2))
      assert.deepEqual([again.error, again.changes], [undefined, []], seed)
    }
    // They have met where they were to meet, or this would prove little.
    assert.deepEqual([...collided], collisions)
  })
}
