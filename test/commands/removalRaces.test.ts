// A removal and a deployment of a stack at once, in many orders of their calls: who can't get its way says so, and the next run does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { DeployError } from '../../src/errors.ts'
import { broadStack, withoutFiles } from '../support/broadStack.ts'
import { interleaving } from '../support/interleaved.ts'
import { createMemorySwarm, type MemorySwarm } from '../support/memorySwarm.ts'
import { recordedRun } from '../support/recordedRun.ts'
import { stackState } from '../support/stackState.ts'

const SEEDS = Array.from({ length: 60 }, (_, index) => index + 1)

const manifest = (version: number): string => `# ${version}\n`

async function withStack(stack: (version: number) => StackSpec): Promise<MemorySwarm> {
  const swarm = createMemorySwarm()
  await recordedRun(swarm.engine, stack(1), manifest(1))
  return swarm
}

function assertSaid(error: unknown, codes: readonly string[], seed: string): void {
  if (error === undefined) return
  assert.ok(error instanceof DeployError, `${seed}: ${error instanceof Error ? error.stack : error}`)
  assert.ok(codes.includes(error.code), `${seed}: ${error.code}: ${error.message}`)
}

const whole = (version: number): StackSpec => broadStack('shop', version)

for (const [what, stack] of [
  ['a stack', whole],
  ['a stack of services and networks', (version: number) => withoutFiles(whole(version))],
] as const) {
  test(`a removal and a deployment of ${what} at once: ${SEEDS.length} orders`, async () => {
    const clean = await withStack(stack)
    await recordedRun(clean.engine, stack(2), manifest(2))
    const namesOf = async ({ engine }: MemorySwarm) => (await engine.listServices()).map(({ Spec }) => Spec.Name).sort()
    await Promise.all(
      SEEDS.map(async (number) => {
        const seed = `seed ${number}`
        const swarm = await withStack(stack)
        const take = interleaving(number)
        const [deployment, removal] = await Promise.all([
          recordedRun(take(swarm.engine), stack(2), manifest(2)),
          new Backend(take(swarm.engine)).removeStack('shop').then(
            () => undefined,
            (error: unknown) => error,
          ),
        ])
        assertSaid(deployment.error, ['conflict', 'engine', 'missing-resource'], seed)
        assertSaid(removal, ['engine'], seed)

        const again = await recordedRun(swarm.engine, stack(2), manifest(2))
        assert.equal(again.error, undefined, `${seed}: ${again.error}`)
        assert.deepEqual(await namesOf(swarm), await namesOf(clean), seed)
        const third = await recordedRun(swarm.engine, stack(2), manifest(2))
        assert.deepEqual([third.error, third.changes], [undefined, []], seed)

        await new Backend(swarm.engine).removeStack('shop')
        const left = await stackState(swarm.engine, 'shop')
        assert.deepEqual(
          left.filter((line) => !line.includes('"record":')),
          [],
          seed,
        )
      }),
    )
  })
}
