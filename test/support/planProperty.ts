// What a plan says, and what a deployment then writes, for random pairs of manifests: one is deployed, and the other planned over it.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Backend } from '../../src/backend/backend.ts'
import type { Change } from '../../src/backend/change.ts'
import { differencesOf } from '../../src/backend/differences.ts'
import { WriteJournal } from '../../src/backend/journal.ts'
import { keptOf } from '../../src/backend/kept.ts'
import { convertStack } from '../../src/convert/convertStack.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { type Engine, EngineError } from '../../src/engine/engine.ts'
import { DeployError } from '../../src/errors.ts'
import { besides, type Manifest, manifest, textOf, variables } from './arbitraryManifest.ts'
import { loadTexts } from './composeFiles.ts'
import { notingWrites } from './notingWrites.ts'
import { base64 } from './stackSpecs.ts'

/** The manifests' external objects. */
export async function createTheirs(engine: Engine): Promise<void> {
  for (const Name of ['outer', 'outside']) await engine.createNetwork({ Name, Driver: 'overlay' })
  for (const Name of ['their-secret', 'c9']) await engine.createSecret({ Name, Data: base64('theirs') })
  for (const Name of ['their-config', 'c9']) await engine.createConfig({ Name, Data: base64('theirs') })
}

/**
 * Pairs of manifests as specs, the same ones in each run of the tests. What no deployment can change is alike in the two: the mode of a
 * service, drivers and templates.
 */
export function pairsOfStacks(
  count: number,
  namespace: (index: number) => string,
): readonly (readonly [first: StackSpec, next: StackSpec])[] {
  const pairs = fc.sample(fc.tuple(manifest, manifest), { numRuns: count, seed: 20 })
  return pairs.map(([first, next], index) => {
    const specOf = (values: Manifest): StackSpec => {
      const text = textOf(changeable(values), 'json')
      const { stack, problems } = loadTexts([text], { variables, beside: besides, home: '/home/user' })
      const converted = stack && convertStack(stack, namespace(index))
      if (converted?.spec === undefined) throw new Error([...problems, ...(converted?.problems ?? [])][0]?.message)
      return converted.spec
    }
    return [specOf(first), specOf(withModes(next, first))]
  })
}

/** The same with another setting of each service: what its spec before was made from is needed no more. */
export function touched(stack: StackSpec): StackSpec {
  const services = stack.services.map((service) => {
    const { TaskTemplate: template } = service.spec
    const ContainerSpec = { ...template.ContainerSpec, Hostname: 'touched' }
    return { ...service, spec: { ...service.spec, TaskTemplate: { ...template, ContainerSpec } } }
  })
  return { ...stack, services }
}

/**
 * Plans `next` over what is there and then deploys it; answers how that ended. Whatever a plan refuses, the deployment refuses alike;
 * and where the engine refuses a write, what was written until then is part of the plan.
 */
export async function planAndDeploy(engine: Engine, next: StackSpec): Promise<'refused' | 'broken-off' | 'done'> {
  const journal = new WriteJournal()
  const writes: string[] = []
  const backend = new Backend(notingWrites(engine, writes), { rotate: true, owner: 'gha/acme/shop', journal })
  const [planned, refusal] = await attempt(() => backend.planStack(next, 'never'))
  const kept = keptOf(next, planned?.plan.objects ?? [], Number.POSITIVE_INFINITY)
  const foreseen = planned && (await backend.foreseeOrphans(kept, planned, new Set()))
  const [deployment, failure] = await attempt(() => backend.deployStack(next, 'never'))
  if (planned === undefined) {
    assert.equal(failure?.message, refusal?.message)
    assert.deepEqual([journal.wroteAnything, writes], [false, []])
    return 'refused'
  }
  const expected = planned.plan.changes
  if (deployment === undefined) {
    const asked = expected.map(writeOf)
    for (const write of writes) assert.ok(asked.includes(write), `${write} was not planned`)
    return 'broken-off'
  }
  assert.deepEqual(writes.sort(), expected.map(writeOf).sort())
  assert.deepEqual(deployment.changes, expected)
  const { applied, notApplied, unknown } = journal.report()
  const names = expected.map(({ kind, name }) => `${kind} ${name}`)
  assert.deepEqual([[...applied].sort(), notApplied, unknown], [names.sort(), [], []])

  const shown = differencesOf(planned, [], (text) => text).objects
  assert.deepEqual(shown.filter(({ action }) => action !== 'none').map(nameOf), expected.map(nameOf))
  const { changes: gone, refused, spared } = await backend.prune(kept)
  const [would, wouldNot] = [foreseen?.removable ?? [], foreseen?.spared ?? []]
  assert.deepEqual(namesOf([...gone, ...refused]), namesOf(would))
  assert.deepEqual(namesOf(spared.filter(({ id }) => !would.some((one) => one.id === id))), namesOf(wouldNot))
  writes.length = 0
  assert.deepEqual((await backend.deployStack(next, 'never')).changes, [])
  assert.deepEqual(writes, [])
  return 'done'
}

// --- Internal helpers ---

type Keys = Readonly<Record<string, Readonly<Record<string, unknown>> | null>>

function changeable(values: Manifest): Manifest {
  const without = (part: string, key: string): Keys =>
    Object.fromEntries(
      Object.entries((values[part] ?? {}) as Keys).map(([name, one]) => {
        const { [key]: _dropped, ...rest } = one ?? {}
        return [name, rest]
      }),
    )
  return {
    ...values,
    networks: without('networks', 'driver'),
    secrets: without('secrets', 'template_driver'),
    configs: without('configs', 'template_driver'),
  }
}

/** A mode goes with the rest of `deploy`, and with the ports. */
function withModes(next: Manifest, first: Manifest): Manifest {
  const before = first.services as Keys
  const services = Object.entries(next.services as Keys).map(([name, service]) => {
    const { deploy, ports } = before[name] ?? service ?? {}
    return [name, { ...service, deploy, ports }]
  })
  return { ...next, services: Object.fromEntries(services) }
}

const nameOf = ({ action, kind, name }: Pick<Change, 'kind' | 'name'> & { readonly action: string }): string =>
  `${action} ${kind} ${name}`

function namesOf(objects: readonly Pick<Change, 'kind' | 'name'>[]): readonly string[] {
  return objects.map(({ kind, name }) => `${kind} ${name}`).sort()
}

/** What the swarm is asked for. */
function writeOf({ action, kind, name }: Change): string {
  const isNew = action === 'create' || action === 'rotate'
  return `${isNew ? 'create' : 'update'} ${kind} ${name}`
}

async function attempt<T>(
  work: () => Promise<T>,
): Promise<readonly [value: T, undefined] | readonly [undefined, DeployError | EngineError]> {
  try {
    return [await work(), undefined]
  } catch (error) {
    if (error instanceof DeployError || error instanceof EngineError) return [undefined, error]
    throw error
  }
}
