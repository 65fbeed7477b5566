// Secrets and configs: which one has what the manifest wants, what to create, what to relabel, and what can't be as it is wanted.
import { createHash } from 'node:crypto'
import type { ConfigObject, SecretObject, StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import type { Labels } from '../swarm/common.ts'
import { DIGEST_LABEL, isOwnLabel, NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Config, ConfigSpec, Secret, SecretSpec } from '../swarm/secret.ts'
import type { Change } from './change.ts'
import { chooseFile, type FileRules } from './chooseFile.ts'
import { configIs, secretIs } from './fileContent.ts'
import { absent, joining } from './fileProblems.ts'
import type { Observation } from './observe.ts'
import type { PlanSettings } from './options.ts'
import { digestOf, type SecretDigest, saltFor, secretDigest } from './secretDigest.ts'

/** One write. */
export interface FileStep<Spec> {
  readonly name: string
  readonly position?: Problem['position']
  /** Whole, with its data. */
  readonly spec: Spec
  /** What gets the labels of `spec`; undefined for a creation. */
  readonly live?:
    | (Pick<Secret, 'ID' | 'Version'> & { readonly Spec: { readonly Labels?: Labels | null | undefined } })
    | undefined
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
  // All generations share a salt: whoever comes to the same content, now or later, comes to the same name.
  const identify = (spec: SecretSpec, relatives: readonly Secret[]): SecretDigest => {
    const known = relatives.map(digestOf).find((digest) => digest !== undefined)
    return secretDigest(spec, known?.salt ?? saltFor(spec.Name ?? '', salt))
  }
  const rules: MarkedFileRules<SecretSpec, Secret> = {
    kind: 'secret',
    is: (found, spec) => secretIs(found, spec) ?? comparedSecrets.get(found.Spec.Name ?? '') ?? false,
    digest: (spec, relatives) => identify(spec, relatives).digest,
    marks: (spec, relatives) => {
      if (spec.Data === undefined) return {}
      const { salt, digest } = identify(spec, relatives)
      return { [DIGEST_LABEL]: `${salt}:${digest}` }
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
  const rules: MarkedFileRules<ConfigSpec, Config> = {
    kind: 'config',
    is: configIs,
    digest: ({ Data = '' }) => createHash('sha256').update(Buffer.from(Data, 'base64')).digest('hex'),
    marks: () => ({}),
  }
  return planFiles(rules, stack.configs, observation.configs, { stack, observation, settings, report })
}

// --- Internal helpers ---

interface MarkedFileRules<Spec, Live> extends FileRules<Spec, Live> {
  /** The labels by which a content is known again. */
  readonly marks: (spec: Spec, relatives: readonly Live[]) => Labels
}

interface Planning {
  readonly stack: StackSpec
  readonly observation: Observation
  readonly settings: PlanSettings
  readonly report: Report
}

function planFiles<Spec extends SecretSpec & ConfigSpec, Live extends Secret | Config>(
  rules: MarkedFileRules<Spec, Live>,
  objects: readonly (SecretObject | ConfigObject)[],
  live: ReadonlyMap<string, Live>,
  { stack: { namespace }, observation, settings: { rotate }, report }: Planning,
): FilePlan<Spec> {
  const { kind, marks } = rules
  const steps: FileStep<Spec>[] = []
  const changes: Change[] = []
  const names = new Map<string, string>()
  const declared = new Set(objects.map(({ name }) => name))
  const surroundings = { namespace, live, declared, inUse: namesInUse(kind, observation), rotate }
  for (const object of objects) {
    const { position } = object
    if (object.external) {
      if (!live.has(object.name)) report(absent(kind, object.name, position))
      continue
    }
    const spec = object.spec as Spec
    const choice = chooseFile(rules, { ...object, spec }, surroundings)
    if (choice.kind === 'refused') {
      report(choice.problem)
      continue
    }
    const name = choice.kind === 'new' ? choice.name : (choice.live.Spec.Name ?? '')
    names.set(object.name, name)
    if (choice.kind === 'new') {
      const { relatives, supersedes } = choice
      const Labels = { ...spec.Labels, ...marks(spec, relatives) }
      steps.push({ name, position, spec: { ...spec, Name: name, Labels }, supersedes })
      const action = supersedes.length === 0 ? 'create' : 'rotate'
      changes.push({ kind, name, action, fields: supersedes.map((other) => `supersedes[${other}]`) })
      continue
    }
    const { Labels: labels } = choice.live.Spec
    const Labels = { ...spec.Labels, ...ownLabels(labels), ...marks(spec, [choice.live]) }
    const fields = differingLabels(labels ?? {}, Labels)
    if (fields.length === 0) continue
    if (labels?.[NAMESPACE_LABEL] === undefined)
      report(
        joining(
          kind,
          name,
          Object.keys(labels ?? {}).filter((label) => Labels[label] !== labels?.[label]),
          position,
        ),
      )
    steps.push({ name, position, spec: { ...spec, Name: name, Labels }, live: choice.live, supersedes: [] })
    changes.push({ kind, name, action: 'update', fields })
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
