import { isDeepStrictEqual } from 'node:util'
import { DeployError, type Problem } from '../errors.ts'
import type { Labels } from '../swarm/common.ts'
import { CREATED_LABEL, isOwnLabel, NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Config, ConfigSpec, Secret, SecretSpec } from '../swarm/secret.ts'
import { createNamed } from './createNamed.ts'
import { configIs, secretIs } from './fileContent.ts'
import { takenMeanwhile } from './fileProblems.ts'
import { inParallel } from './inParallel.ts'
import type { FileStep } from './planFiles.ts'
import { ATTEMPTS, isKind, isUnclear, refusedWrite, type Writing, write } from './writing.ts'

/** Writes secrets; answers the ids of all of them by name. */
export function writeSecrets(
  steps: readonly FileStep<SecretSpec>[],
  writing: Writing,
): Promise<ReadonlyMap<string, string>> {
  const { engine } = writing
  const calls: FileCalls<SecretSpec, Secret> = {
    kind: 'secret',
    create: (spec) => engine.createSecret(spec),
    update: (id, version, spec) => engine.updateSecret(id, version, spec),
    find: async (name) => (await engine.listSecrets({ name: [name] })).find(({ Spec }) => Spec.Name === name),
    is: (live, spec) => secretIs(live, spec) === true,
  }
  return writeFiles(calls, steps, writing)
}

/** Writes configs, likewise. */
export function writeConfigs(
  steps: readonly FileStep<ConfigSpec>[],
  writing: Writing,
): Promise<ReadonlyMap<string, string>> {
  const { engine } = writing
  const calls: FileCalls<ConfigSpec, Config> = {
    kind: 'config',
    create: (spec) => engine.createConfig(spec),
    update: (id, version, spec) => engine.updateConfig(id, version, spec),
    find: async (name) => (await engine.listConfigs({ name: [name] })).find(({ Spec }) => Spec.Name === name),
    is: configIs,
  }
  return writeFiles(calls, steps, writing)
}

// --- Internal helpers ---

interface FileCalls<Spec, Live> {
  readonly kind: 'secret' | 'config'
  readonly create: (spec: Spec) => Promise<string>
  readonly update: (id: string, version: number, spec: Spec) => Promise<void>
  readonly find: (name: string) => Promise<Live | undefined>
  readonly is: (live: Live, spec: Spec) => boolean
}

type Labelled = SecretSpec | ConfigSpec

async function writeFiles<Spec extends Labelled, Live extends Secret | Config>(
  calls: FileCalls<Spec, Live>,
  steps: readonly FileStep<Spec>[],
  writing: Writing,
): Promise<ReadonlyMap<string, string>> {
  const ids = await inParallel(steps, writing.settings.concurrency, async (step) => {
    try {
      return step.live === undefined
        ? await create(calls, step, writing)
        : await relabel(calls, step, step.live, writing)
    } catch (error) {
      throw refusedWrite(error, step)
    }
  })
  return new Map(steps.map(({ name }, index) => [name, ids[index] ?? '']))
}

async function create<Spec extends Labelled, Live extends Secret | Config>(
  { kind, create, find, is }: FileCalls<Spec, Live>,
  { name, spec, position, supersedes }: FileStep<Spec>,
  writing: Writing,
): Promise<string> {
  const { log, now } = writing.settings
  log(`Creating ${kind} ${name}${supersedes.length === 0 ? '' : `, in place of ${supersedes.join(', ')}`}`)
  const marked = { ...spec, Labels: { ...spec.Labels, [CREATED_LABEL]: new Date(now()).toISOString() } }
  try {
    const created = await createNamed(
      writing,
      `${kind} ${name}`,
      async () => ({ ID: await create(marked) }),
      async () => {
        const found = await find(name)
        if (found === undefined) return undefined
        return sameStack(found, spec) && is(found, spec) ? found : 'other'
      },
    )
    return created.ID
  } catch (error) {
    if (!isKind(error, 'already-exists')) throw error
    throw new DeployError('conflict', takenMeanwhile(kind, name), {
      cause: error,
      position,
      remedy: 'Run it again: it then sees what is there.',
    })
  }
}

/** The data goes with the labels, so that the engine refuses them where it holds another content than we believe. */
async function relabel<Spec extends Labelled, Live extends Secret | Config>(
  { kind, update, find }: FileCalls<Spec, Live>,
  { name, spec, position }: FileStep<Spec>,
  live: NonNullable<FileStep<Spec>['live']>,
  writing: Writing,
): Promise<string> {
  writing.settings.log(`Updating labels of ${kind} ${name}`)
  let version = live.Version.Index
  for (let attempt = 1; ; attempt++) {
    try {
      await write(writing, `${kind} ${name}`, () => update(live.ID, version, spec))
      return live.ID
    } catch (error) {
      if (isKind(error, 'not-found')) throw changedMeanwhile(kind, name, 'was removed', position, error)
      if (attempt === ATTEMPTS || !(isKind(error, 'version-conflict') || isUnclear(error))) throw error
      const found = await find(name)
      if (found?.ID !== live.ID) throw error
      // Content can't change, but labels are written whole: those of someone else would be lost.
      if (!isDeepStrictEqual(found.Spec.Labels ?? {}, live.Spec.Labels ?? {})) {
        if (!isDeepStrictEqual(withoutMarks(found.Spec.Labels), withoutMarks(spec.Labels)))
          throw changedMeanwhile(kind, name, 'were changed', position, error)
        // It got through after all, or another run has done the same.
        writing.settings.journal.start(`${kind} ${name}`)
        writing.settings.journal.done(`${kind} ${name}`)
        return live.ID
      }
      version = found.Version.Index
    }
  }
}

function changedMeanwhile(
  kind: 'secret' | 'config',
  name: string,
  what: 'was removed' | 'were changed',
  position: Problem['position'],
  cause: unknown,
): DeployError {
  const subject = what === 'was removed' ? `the ${kind} "${name}"` : `the labels of the ${kind} "${name}"`
  const message = `${subject} ${what} by someone else while this run was at it`
  return new DeployError('conflict', message, { cause, position, remedy: 'Run it again: it then sees what is there.' })
}

function withoutMarks(labels: Labels | null | undefined): Labels {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([label]) => !isOwnLabel(label)))
}

function sameStack(live: Secret | Config, spec: Labelled): boolean {
  return live.Spec.Labels?.[NAMESPACE_LABEL] === spec.Labels?.[NAMESPACE_LABEL]
}
