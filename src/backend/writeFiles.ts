import { DeployError } from '../errors.ts'
import { CREATED_LABEL, DIGEST_LABEL, NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Config, ConfigSpec, Secret, SecretSpec } from '../swarm/secret.ts'
import { createNamed } from './createNamed.ts'
import { inParallel } from './inParallel.ts'
import { changedContent, type FileStep } from './planFiles.ts'
import { hasContent, secretDigest } from './secretDigest.ts'
import { ATTEMPTS, isKind, isUnclear, refusedWrite, type Writing, write } from './writing.ts'

/** Writes secrets; answers the ids of all of them by name. */
export function writeSecrets(
  steps: readonly FileStep<SecretSpec>[],
  writing: Writing,
): Promise<ReadonlyMap<string, string>> {
  const { engine } = writing
  const kind: FileKind<SecretSpec, Secret> = {
    kind: 'secret',
    marked: (spec) => (spec.Data === undefined ? spec : withLabel(spec, DIGEST_LABEL, secretDigest(spec))),
    create: (spec) => engine.createSecret(spec),
    update: (id, version, spec) => engine.updateSecret(id, version, spec),
    find: async (name) => (await engine.listSecrets({ name: [name] })).find(({ Spec }) => Spec.Name === name),
    isSame: (live, spec) => spec.Data === undefined || hasContent(live, spec) === true,
  }
  return writeFiles(kind, steps, writing)
}

/** Writes configs, likewise. */
export function writeConfigs(
  steps: readonly FileStep<ConfigSpec>[],
  writing: Writing,
): Promise<ReadonlyMap<string, string>> {
  const { engine } = writing
  const kind: FileKind<ConfigSpec, Config> = {
    kind: 'config',
    marked: (spec) => spec,
    create: (spec) => engine.createConfig(spec),
    update: (id, version, spec) => engine.updateConfig(id, version, spec),
    find: async (name) => (await engine.listConfigs({ name: [name] })).find(({ Spec }) => Spec.Name === name),
    isSame: (live, spec) => (live.Spec.Data ?? '') === (spec.Data ?? ''),
  }
  return writeFiles(kind, steps, writing)
}

// --- Internal helpers ---

interface FileKind<Spec, Live> {
  readonly kind: 'secret' | 'config'
  /** The spec with the mark that later tells whether its content changed. */
  readonly marked: (spec: Spec) => Spec
  readonly create: (spec: Spec) => Promise<string>
  readonly update: (id: string, version: number, spec: Spec) => Promise<void>
  readonly find: (name: string) => Promise<Live | undefined>
  readonly isSame: (live: Live, spec: Spec) => boolean
}

type Labelled = SecretSpec | ConfigSpec

async function writeFiles<Spec extends Labelled, Live extends Secret | Config>(
  kind: FileKind<Spec, Live>,
  steps: readonly FileStep<Spec>[],
  writing: Writing,
): Promise<ReadonlyMap<string, string>> {
  const ids = await inParallel(steps, writing.settings.concurrency, async (step) => {
    try {
      return step.action === 'create' ? await create(kind, step, writing) : await update(kind, step, writing)
    } catch (error) {
      throw refusedWrite(error, step)
    }
  })
  return new Map(steps.map(({ name }, index) => [name, ids[index] ?? '']))
}

async function create<Spec extends Labelled, Live extends Secret | Config>(
  kind: FileKind<Spec, Live>,
  { name, spec }: FileStep<Spec>,
  writing: Writing,
): Promise<string> {
  const { log, now } = writing.settings
  log(`Creating ${kind.kind} ${name}`)
  const marked = withLabel(kind.marked(spec), CREATED_LABEL, new Date(now()).toISOString())
  const created = await createNamed(
    writing,
    `${kind.kind} ${name}`,
    async () => ({ ID: await kind.create(marked) }),
    async () => {
      const found = await kind.find(name)
      if (found === undefined) return undefined
      return sameStack(found, spec) && kind.isSame(found, spec) ? found : 'other'
    },
  )
  return created.ID
}

async function update<Spec extends Labelled, Live extends Secret | Config>(
  kind: FileKind<Spec, Live>,
  step: Extract<FileStep<Spec>, { action: 'relabel' | 'adopt' }>,
  writing: Writing,
): Promise<string> {
  const { name, live, position } = step
  const { log } = writing.settings
  log(step.action === 'adopt' ? `Adopting ${kind.kind} ${name}` : `Updating labels of ${kind.kind} ${name}`)
  const spec = step.action === 'adopt' ? kind.marked(step.spec) : step.spec
  let version = live.Version.Index
  for (let attempt = 1; ; attempt++) {
    try {
      await write(writing, `${kind.kind} ${name}`, () => kind.update(live.ID, version, spec))
      return live.ID
    } catch (error) {
      if (step.action === 'adopt' && /only updates to Labels/i.test(error instanceof Error ? error.message : '')) {
        const problem = changedContent(kind.kind, name, position)
        throw new DeployError(problem.code, problem.message, { cause: error, position, remedy: problem.remedy })
      }
      if (attempt === ATTEMPTS || !(isKind(error, 'version-conflict') || isUnclear(error))) throw error
      // Content can't change, and labels are written whole: only the version has to be a new one.
      const found = await kind.find(name)
      if (found?.ID !== live.ID) throw error
      version = found.Version.Index
    }
  }
}

function sameStack(live: Secret | Config, spec: Labelled): boolean {
  return live.Spec.Labels?.[NAMESPACE_LABEL] === spec.Labels?.[NAMESPACE_LABEL]
}

function withLabel<Spec extends Labelled>(spec: Spec, label: string, value: string): Spec {
  return { ...spec, Labels: { ...spec.Labels, [label]: value } }
}
