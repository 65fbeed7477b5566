// Each way in which a write of a service can end, times what then stands there: who is told of a lost race, and how the run ends.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Engine, EngineError } from '../../src/engine/engine.ts'
import { DeployError } from '../../src/errors.ts'
import { WRITTEN_LABEL } from '../../src/swarm/names.ts'
import type { Service } from '../../src/swarm/service.ts'
import { heardBackend } from './heardBackend.ts'
import { around, racing } from './racing.ts'
import { refusal } from './refusal.ts'
import { aServiceObject, aStackSpec } from './stackSpecs.ts'

/** How the first write ends. Those that follow go through. */
type End =
  /** As the swarm answers. */
  | 'answered'
  | 'refused'
  /** Nobody knows whether it got through: it never did; it did, as far as the swarm let it; it does so just before the second one. */
  | 'call lost'
  | 'answer lost'
  | 'late'
  /** There was no way to the swarm, and nobody doubts it. */
  | 'unsent'

/** What somebody else does. */
type Act =
  /** Writes what is there once more: only the version is another. */
  | 'touch'
  /** Writes what means the same as what is wanted, as another client says it. */
  | 'equal'
  /** Another run of this action, with the same manifest. */
  | 'twin'
  | 'other'
  | 'remove'

interface Row {
  /** Between this run's look at the swarm and its first write. */
  readonly before?: Act
  readonly end: End
  /** Before this run hears of the end. */
  readonly after?: Act
  /** How often of a lost race. */
  readonly told: 0 | 1
  readonly run: 'done' | 'conflict' | 'engine'
  /** What is there in the end. `ours` is said of a twin's, too. */
  readonly stands: 'ours' | 'equal' | 'other' | 'old' | 'nothing'
}

const creations: readonly Row[] = [
  { end: 'answered', told: 0, run: 'done', stands: 'ours' },
  { end: 'refused', told: 0, run: 'engine', stands: 'nothing' },
  { end: 'call lost', told: 0, run: 'done', stands: 'ours' },
  { end: 'unsent', told: 0, run: 'done', stands: 'ours' },
  { end: 'answer lost', told: 0, run: 'done', stands: 'ours' },
  { end: 'late', told: 0, run: 'done', stands: 'ours' },
  { before: 'equal', end: 'answered', told: 1, run: 'done', stands: 'equal' },
  { before: 'equal', end: 'refused', told: 0, run: 'engine', stands: 'equal' },
  { before: 'equal', end: 'call lost', told: 1, run: 'done', stands: 'equal' },
  { before: 'equal', end: 'unsent', told: 1, run: 'done', stands: 'equal' },
  { before: 'equal', end: 'answer lost', told: 1, run: 'done', stands: 'equal' },
  { before: 'twin', end: 'answered', told: 1, run: 'done', stands: 'ours' },
  { before: 'twin', end: 'unsent', told: 1, run: 'done', stands: 'ours' },
  { before: 'other', end: 'answered', told: 1, run: 'conflict', stands: 'other' },
  { before: 'other', end: 'refused', told: 0, run: 'engine', stands: 'other' },
  { before: 'other', end: 'call lost', told: 1, run: 'conflict', stands: 'other' },
  { before: 'other', end: 'unsent', told: 1, run: 'conflict', stands: 'other' },
  { before: 'other', end: 'answer lost', told: 1, run: 'conflict', stands: 'other' },
  // Somebody's that came and went.
  { before: 'other', end: 'answered', after: 'remove', told: 0, run: 'done', stands: 'ours' },
  { end: 'answer lost', after: 'equal', told: 1, run: 'done', stands: 'equal' },
  { end: 'answer lost', after: 'other', told: 1, run: 'conflict', stands: 'other' },
  { end: 'answer lost', after: 'remove', told: 0, run: 'done', stands: 'ours' },
]

const updates: readonly Row[] = [
  { end: 'answered', told: 0, run: 'done', stands: 'ours' },
  { end: 'refused', told: 0, run: 'engine', stands: 'old' },
  { end: 'call lost', told: 0, run: 'done', stands: 'ours' },
  { end: 'unsent', told: 0, run: 'done', stands: 'ours' },
  { end: 'answer lost', told: 0, run: 'done', stands: 'ours' },
  { end: 'late', told: 0, run: 'done', stands: 'ours' },
  { before: 'touch', end: 'answered', told: 0, run: 'done', stands: 'ours' },
  { before: 'touch', end: 'call lost', told: 0, run: 'done', stands: 'ours' },
  { before: 'touch', end: 'answer lost', told: 0, run: 'done', stands: 'ours' },
  { before: 'equal', end: 'answered', told: 1, run: 'done', stands: 'equal' },
  { before: 'equal', end: 'refused', told: 0, run: 'engine', stands: 'equal' },
  { before: 'equal', end: 'call lost', told: 1, run: 'done', stands: 'equal' },
  { before: 'equal', end: 'unsent', told: 1, run: 'done', stands: 'equal' },
  { before: 'equal', end: 'answer lost', told: 1, run: 'done', stands: 'equal' },
  { before: 'twin', end: 'answered', told: 1, run: 'done', stands: 'ours' },
  { before: 'twin', end: 'unsent', told: 1, run: 'done', stands: 'ours' },
  // Nobody can tell it from a write of ours that got through after all, and nothing is lost.
  { before: 'twin', end: 'call lost', told: 0, run: 'done', stands: 'ours' },
  { before: 'other', end: 'answered', told: 1, run: 'conflict', stands: 'other' },
  { before: 'other', end: 'refused', told: 0, run: 'engine', stands: 'other' },
  { before: 'other', end: 'call lost', told: 1, run: 'conflict', stands: 'other' },
  { before: 'other', end: 'unsent', told: 1, run: 'conflict', stands: 'other' },
  { before: 'other', end: 'answer lost', told: 1, run: 'conflict', stands: 'other' },
  { before: 'remove', end: 'answered', told: 1, run: 'conflict', stands: 'nothing' },
  { before: 'remove', end: 'call lost', told: 1, run: 'conflict', stands: 'nothing' },
  { before: 'remove', end: 'answer lost', told: 1, run: 'conflict', stands: 'nothing' },
  { end: 'answer lost', after: 'touch', told: 0, run: 'done', stands: 'ours' },
  { end: 'answer lost', after: 'equal', told: 1, run: 'done', stands: 'equal' },
  { end: 'answer lost', after: 'other', told: 1, run: 'conflict', stands: 'other' },
  { end: 'answer lost', after: 'remove', told: 1, run: 'conflict', stands: 'nothing' },
]

/** @param fresh answers a stack name of its own */
export function raceContract(engine: Engine, fresh: () => string): void {
  const find = async (name: string): Promise<Service | undefined> =>
    (await engine.listServices({ name: [name] })).find(({ Spec }) => Spec.Name === name)
  const stackOf = (namespace: string, image: string) =>
    aStackSpec(namespace, {
      services: [aServiceObject(namespace, 'web', { image, spec: { Mode: { Replicated: { Replicas: 0 } } } })],
    })

  for (const [call, rows] of [
    ['createService', creations],
    ['updateService', updates],
  ] as const) {
    describe(`a race is told once, whatever became of ${call}`, () => {
      for (const row of rows) {
        const { before, end, after, told, run, stands } = row
        const parts = [before && `${before}, then`, end, after && `and then ${after}`, `is ${run}, told ${told}`]
        test(parts.filter((part) => part !== undefined).join(' '), async () => {
          const namespace = fresh()
          const name = `${namespace}_web`
          const wanted = stackOf(namespace, 'tb/ok:2')
          const plain = wanted.services[0]?.spec ?? assert.fail()
          if (call === 'updateService')
            await heardBackend(engine).backend.deployStack(stackOf(namespace, 'tb/ok:1'), 'never')

          const act = async (what: Act | undefined): Promise<void> => {
            if (what === undefined) return
            if (what === 'twin') return void (await heardBackend(engine).backend.deployStack(wanted, 'never'))
            const there = await find(name)
            if (what === 'remove') return there && engine.removeService(there.ID)
            const specs = {
              touch: there?.Spec ?? plain,
              equal: plain,
              other: { ...plain, Labels: { ...plain.Labels, whose: 'other' } },
            }
            if (there === undefined) await engine.createService(specs[what])
            else await engine.updateService(there.ID, there.Version.Index, specs[what])
          }
          const on = ending(engine, call, end, { before: () => act(before), after: () => act(after) })
          const { backend, races, warnings } = heardBackend(on)
          const error = await backend.deployStack(wanted, 'never').then(
            () => undefined,
            (thrown: unknown) => thrown,
          )

          if (run === 'done') assert.equal(error, undefined)
          else assert.equal(error instanceof DeployError && error.code, run, String(error))
          assert.deepEqual(races, Array(told).fill(name))
          assert.deepEqual(
            warnings.map(({ message }) => message),
            races.map(() => `service ${name} was written by someone else while this run was at it`),
          )
          assert.equal(kindOf(await find(name)), stands)
        })
      }
    })
  }

  test('a service whose version never rests ends the run after three tries, and nobody is said to have written it', async () => {
    const namespace = fresh()
    const name = `${namespace}_web`
    await heardBackend(engine).backend.deployStack(stackOf(namespace, 'tb/ok:1'), 'never')
    const touch = async (): Promise<void> => {
      const { ID, Version, Spec } = (await find(name)) ?? assert.fail()
      await engine.updateService(ID, Version.Index, Spec)
    }
    const { backend, races, warnings, journal } = heardBackend(racing(engine, 'updateService', touch, 3))
    const error = await refusal(backend.deployStack(stackOf(namespace, 'tb/ok:2'), 'never'))
    assert.equal(error.code, 'conflict')
    assert.match(error.message, /had another version at each of 3 tries, though the same spec/)
    assert.match(error.remedy ?? '', /Wait until it is quiet/)
    assert.deepEqual([races, warnings, journal.report().applied], [[], [], []])
    assert.equal(kindOf(await find(name)), 'old')
  })
}

// --- Internal helpers ---

/** An engine whose next write ends so, amid what others do. */
function ending(
  engine: Engine,
  call: 'createService' | 'updateService',
  end: End,
  { before, after }: { readonly before: () => Promise<void>; readonly after: () => Promise<void> },
): Engine {
  let late: (() => Promise<unknown>) | undefined
  const instead = async (send: () => Promise<unknown>): Promise<unknown> => {
    if (late !== undefined) {
      await late()
      return send()
    }
    await before()
    if (end === 'late') late = send
    const answer = end === 'answered' || end === 'answer lost' ? await settled(send()) : undefined
    await after()
    if (end === 'answered') return answer?.()
    if (end === 'refused') throw new EngineError('refused', 400, 'the engine does not like it')
    const cause = end === 'unsent' ? Object.assign(new Error('no way'), { unsent: true }) : undefined
    throw new EngineError('connection', 0, 'Lost the engine: the connection broke', { cause })
  }
  return around(engine, call, instead, end === 'late' ? 2 : 1)
}

/** A promise's end, to be had later. */
function settled(promise: Promise<unknown>): Promise<() => unknown> {
  return promise.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error
    },
  )
}

function kindOf(service: Service | undefined): Row['stands'] {
  if (service === undefined) return 'nothing'
  const { Labels: labels, TaskTemplate: task } = service.Spec
  if (labels?.whose === 'other') return 'other'
  if (task.ContainerSpec?.Image === 'tb/ok:1') return 'old'
  return labels?.[WRITTEN_LABEL] === undefined ? 'equal' : 'ours'
}
