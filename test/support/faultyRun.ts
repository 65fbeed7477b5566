// A deployment through a bad link: what must hold whatever befalls it.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Engine } from '../../src/engine/engine.ts'
import type { Bed } from './bed.mjs'
import { type Fault, openFaultProxy } from './faultProxy.ts'
import { type LiveStack, liveStacks, reach } from './liveStack.ts'
import type { ActionResult } from './runner.mjs'
import { stackState } from './stackState.ts'

/** Where a connection breaks, in bytes of each direction: roughly what OpenSSH and the stack below need. */
const stages = {
  banner: { up: [0, 30], down: [0, 30] },
  'key exchange': { up: [40, 1300], down: [50, 1800] },
  login: { up: [1300, 1700], down: [1800, 2300] },
  calls: { up: [1900, 15_000], down: [2600, 80_000] },
} as const

type Stage = keyof typeof stages

export interface FaultyCase {
  readonly number: number
  /** Whether the stack's first version is there already, and the second is deployed. */
  readonly isUpdate: boolean
  readonly faults: readonly Fault[]
  readonly name: string
}

/** The same seed makes the same case. */
export function faultyCase(seed: number): FaultyCase {
  const random = randomsOf(seed)
  const pick = <T>(...list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const faultIn = (stage: Stage): Fault & { readonly stage: Stage } => {
    const direction = pick<Fault['direction']>('up', 'down')
    const [least, most] = stages[stage][direction]
    const after = Math.floor(least + random() * (most - least))
    return { stage, kind: pick('cut', 'cut', 'corrupt', 'stall', 'slow'), direction, after }
  }
  // One in five breaks before the first success; the others in the middle of the work, and up to twice more while connecting again.
  const first = random() < 0.2 ? pick<Stage>('banner', 'key exchange', 'login') : 'calls'
  const more = Array.from({ length: Math.floor(random() * 3) }, () => pick(...(Object.keys(stages) as Stage[])))
  const faults = [first, ...more].map(faultIn)
  const isUpdate = random() < 0.3
  const told = faults.map(({ stage, kind, direction, after }) => `${kind} ${direction} at ${after} (${stage})`)
  return { number: seed, isUpdate, faults, name: `${isUpdate ? 'an update' : 'a creation'}: ${told.join(', ')}` }
}

export interface FaultyEnd {
  readonly first: ActionResult
  /** Whether a second run was needed. */
  readonly again: boolean
  /** How many connections the first run made. */
  readonly connections: number
}

/** Makes the two clean stacks that the cases are compared with; they are gone when the test is over. */
export async function faultyRuns(
  t: TestContext,
  bed: Bed,
  engine: Engine,
  prefix: string,
): Promise<(one: FaultyCase) => Promise<FaultyEnd>> {
  const stack = liveStacks(bed, prefix)
  const clean = stack(t, 'clean', files)
  const states: (readonly string[])[] = []
  for (const version of [1, 2]) {
    await converges(clean, version)
    states.push(await stackState(engine, clean.name))
  }
  return async (one) => {
    const ends: (() => unknown)[] = []
    const after = (end: () => unknown): void => void ends.unshift(end)
    try {
      const mine = stack({ after }, `${one.number}`, files)
      return await runFaulty({ after }, bed, engine, mine, one, states[one.isUpdate ? 1 : 0] ?? [])
    } finally {
      for (const end of ends) await end()
    }
  }
}

// --- Internal helpers ---

const files = {
  'motd-1.txt': 'hello\n',
  'motd-2.txt': 'hello again\n',
  'token-1.txt': 'one\n',
  'token-2.txt': 'two\n',
}

/** One thing of each kind; the second version changes a service, the config and the secret. */
const manifestOf = (version: number): string => `services:
  web: { image: tb/ok:1, stop_grace_period: 1s, networks: [front], secrets: [token], configs: [motd], environment: { V: '${version}' } }
  idle: { image: tb/ok:1, networks: [front], deploy: { replicas: 0 } }
networks:
  front: {}
configs:
  motd: { file: motd-${version}.txt }
secrets:
  token: { file: token-${version}.txt }
`

const inputs = { monitor: '1s', 'connect-timeout': '5s', timeout: '100s' }

async function converges(stack: LiveStack, version: number): Promise<void> {
  const { outputs, log } = await stack.deploy(manifestOf(version), inputs)
  assert.ok(outputs.status === 'converged' || outputs.status === 'unchanged', log)
}

/**
 * Deploys through a proxy with the faults: it must end converged, nothing written twice, or say why not; and then, or after one more run, the
 * swarm is as a clean run leaves it.
 */
async function runFaulty(
  t: Pick<TestContext, 'after'>,
  bed: Bed,
  engine: Engine,
  stack: LiveStack,
  { isUpdate, faults, name }: FaultyCase,
  cleanState: readonly string[],
): Promise<FaultyEnd> {
  const version = isUpdate ? 2 : 1
  if (isUpdate) await converges(stack, 1)
  const before = new Map((await stack.services()).map((service) => [service.ID, service.Spec]))
  const proxy = await openFaultProxy({ host: bed.host, port: bed.sshPort }, faults)
  t.after(() => proxy.close())
  const [line = ''] = (reach(bed)['known-hosts'] ?? '').split('\n')
  const first = await stack.deploy(manifestOf(version), {
    ...inputs,
    host: `ssh://${bed.user}@127.0.0.1:${proxy.port}`,
    'known-hosts': line.replace(/^\S+/, `[127.0.0.1]:${proxy.port}`),
  })
  const told = `${name}\n${first.log}`
  const { status, 'failure-reason': reason, 'failure-message': message } = first.outputs
  const again = status !== 'converged'
  assert.equal(first.code, again ? 1 : 0, told)
  if (again) {
    assert.ok(['refused', 'failed', 'timed-out'].includes(status ?? ''), told)
    assert.ok(['connection', 'host-key', 'authentication'].includes(reason ?? ''), told)
    assert.match(message ?? '', /\w+ \w+ \w+/, told)
    await converges(stack, version)
  } else {
    for (const { ID, PreviousSpec } of await stack.services()) {
      assert.deepEqual(PreviousSpec, PreviousSpec && before.get(ID), `written twice: ${told}`)
    }
  }
  assert.deepEqual(await stackState(engine, stack.name), cleanState, told)
  return { first, again, connections: proxy.passed.length }
}

/** Random numbers from 0 to 1 that a seed decides (mulberry32). */
function randomsOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
