// Secrets and configs: which one has what the manifest wants, what to create, what to relabel, and what can't be as it is wanted.
import { createHash } from 'node:crypto'
import { nameFault } from '../convert/engineNames.ts'
import type { ConfigObject, SecretObject, StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import type { Labels } from '../swarm/common.ts'
import { DIGEST_LABEL, isOwnLabel, NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Config, ConfigSpec, Secret, SecretSpec } from '../swarm/secret.ts'
import type { Change } from './change.ts'
import { configIs, isMadeBySwarm, secretIs } from './fileContent.ts'
import { absent, changedContent, changedRecipe, foreign, tooLong } from './fileProblems.ts'
import { generationName, generationsOf } from './generations.ts'
import type { Observation } from './observe.ts'
import type { PlanSettings } from './options.ts'
import { digestOf, saltFor, secretDigest } from './secretDigest.ts'

/** One write. */
export interface FileStep<Spec> {
  readonly name: string
  readonly position?: Problem['position']
  /** Whole, with its data. */
  readonly spec: Spec
  /** What gets the labels of `spec`; undefined for a creation. */
  readonly live?: { readonly ID: string; readonly Version: { readonly Index: number } } | undefined
  /** Whose place a new object takes; empty for a first one. */
  readonly supersedes: readonly string[]
}

export interface FilePlan<Spec> {
  readonly steps: readonly FileStep<Spec>[]
  readonly changes: readonly Change[]
  /** By the manifest's name, the name of the object that has the wanted content or will have it. */
  readonly names: ReadonlyMap<string, string>
}

type Report = (problem: Problem) => void

export function planSecrets(
  stack: StackSpec,
  observation: Observation,
  settings: PlanSettings,
  report: Report,
): FilePlan<SecretSpec> {
  const { secrets, comparedSecrets, salt } = observation
  const rules: FileRules<SecretSpec, Secret> = {
    kind: 'secret',
    is: (found, spec) => secretIs(found, spec) ?? comparedSecrets.get(found.Spec.Name ?? '') ?? false,
    // All generations share a salt: whoever comes to the same content, now or later, comes to the same name.
    identify: (spec, relatives) => {
      const known = relatives.map(digestOf).find((digest) => digest !== undefined)
      const content = secretDigest(spec, known?.salt ?? saltFor(spec.Name ?? '', salt))
      const labels = spec.Data === undefined ? {} : { [DIGEST_LABEL]: `${content.salt}:${content.digest}` }
      return { digest: content.digest, labels }
    },
  }
  return planFiles(rules, stack.secrets, secrets, { stack, observation, settings, report })
}

export function planConfigs(
  stack: StackSpec,
  observation: Observation,
  settings: PlanSettings,
  report: Report,
): FilePlan<ConfigSpec> {
  const rules: FileRules<ConfigSpec, Config> = {
    kind: 'config',
    is: configIs,
    identify: ({ Data = '' }) => ({
      digest: createHash('sha256').update(Buffer.from(Data, 'base64')).digest('hex'),
      labels: {},
    }),
  }
  return planFiles(rules, stack.configs, observation.configs, { stack, observation, settings, report })
}

// --- Internal helpers ---

interface FileRules<Spec, Live> {
  readonly kind: 'secret' | 'config'
  /** Whether a live object is what the manifest wants, but for its labels. */
  readonly is: (found: Live, spec: Spec) => boolean
  /** The digest of a content in 64 hex digits, and the labels by which it is known again; `relatives` may decide the salt. */
  readonly identify: (spec: Spec, relatives: readonly Live[]) => { readonly digest: string; readonly labels: Labels }
}

interface Planning {
  readonly stack: StackSpec
  readonly observation: Observation
  readonly settings: PlanSettings
  readonly report: Report
}

function planFiles<Spec extends SecretSpec & ConfigSpec, Live extends Secret | Config>(
  { kind, is, identify }: FileRules<Spec, Live>,
  objects: readonly (SecretObject | ConfigObject)[],
  live: ReadonlyMap<string, Live>,
  { stack: { namespace }, observation, settings, report }: Planning,
): FilePlan<Spec> {
  const steps: FileStep<Spec>[] = []
  const changes: Change[] = []
  const names = new Map<string, string>()
  const declared = new Set(objects.map(({ name }) => name))
  const inUse = namesInUse(kind, observation)

  const create = (name: string, position: Problem['position'], spec: Spec, supersedes: readonly string[]): void => {
    steps.push({ name, position, spec: { ...spec, Name: name }, supersedes })
    const action = supersedes.length === 0 ? 'create' : 'rotate'
    changes.push({ kind, name, action, fields: supersedes.map((other) => `supersedes[${other}]`) })
  }
  const relabel = (found: Live, position: Problem['position'], spec: Spec): void => {
    const name = found.Spec.Name ?? ''
    const Labels = { ...spec.Labels, ...ownLabels(found.Spec.Labels), ...identify(spec, [found]).labels }
    const fields = differingLabels(found.Spec.Labels ?? {}, Labels)
    if (fields.length === 0) return
    steps.push({ name, position, spec: { ...spec, Name: name, Labels }, live: found, supersedes: [] })
    changes.push({ kind, name, action: 'update', fields })
  }

  for (const object of objects) {
    const { name, position } = object
    const found = live.get(name)
    if (object.external) {
      if (found === undefined) report(absent(kind, name, position))
      continue
    }
    const owner = found?.Spec.Labels?.[NAMESPACE_LABEL]
    if (owner !== undefined && owner !== namespace) {
      report(foreign(kind, name, owner, position))
      continue
    }
    const spec = object.spec as Spec
    const generations = generationsOf(name, live, namespace, declared)
    const relatives = found === undefined ? generations : [found, ...generations]
    const same = relatives.find((relative) => is(relative, spec))
    if (same !== undefined) {
      names.set(name, same.Spec.Name ?? '')
      relabel(same, position, spec)
      continue
    }
    const { digest, labels } = identify(spec, relatives)
    const marked = { ...spec, Labels: { ...spec.Labels, ...labels } }
    if (found === undefined) {
      create(name, position, marked, [])
      continue
    }
    if (isMadeBySwarm(spec) || isMadeBySwarm(found.Spec)) {
      report(changedRecipe(kind, name, position))
      continue
    }
    if (!settings.rotate) {
      report(changedContent(kind, name, position))
      continue
    }
    const next = generationName(name, digest, (other) => live.has(other) || declared.has(other))
    const fault = nameFault(kind, next)
    if (fault !== undefined) {
      report(tooLong(kind, name, fault.message, position))
      continue
    }
    const used = relatives.map((relative) => relative.Spec.Name ?? '').filter((other) => inUse.has(other))
    names.set(name, next)
    create(next, position, marked, used.length === 0 ? [name] : used)
  }
  return { steps, changes, names }
}

/** What live services of the stack refer to. */
function namesInUse(kind: 'secret' | 'config', { services }: Observation): ReadonlySet<string> {
  const containers = [...services.values()].map(({ Spec }) => Spec.TaskTemplate.ContainerSpec)
  return new Set(
    containers.flatMap((container) =>
      kind === 'secret'
        ? (container?.Secrets ?? []).map(({ SecretName }) => SecretName)
        : (container?.Configs ?? []).map(({ ConfigName }) => ConfigName),
    ),
  )
}

function ownLabels(labels: Labels | null | undefined): Labels {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([label]) => isOwnLabel(label)))
}

function differingLabels(live: Labels, wanted: Labels): readonly string[] {
  const names = new Set([...Object.keys(live), ...Object.keys(wanted)])
  return [...names]
    .filter((label) => live[label] !== wanted[label])
    .sort()
    .map((label) => `labels[${label}]`)
}
