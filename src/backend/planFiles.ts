// Secrets and configs: what to create, what to relabel, and what can't be as the manifest wants it.
import { isDeepStrictEqual } from 'node:util'
import type { ConfigObject, SecretObject, StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import type { Labels } from '../swarm/common.ts'
import { isOwnLabel, NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Config, ConfigSpec, Secret, SecretSpec } from '../swarm/secret.ts'
import type { Change } from './change.ts'
import type { Observation } from './observe.ts'
import { hasContent } from './secretDigest.ts'

type Kind = 'secret' | 'config'

export type FileStep<Spec> = FileIdentity &
  (
    | { readonly action: 'create'; readonly spec: Spec }
    /** Only its labels: `spec` is without data. */
    | { readonly action: 'relabel'; readonly spec: Spec; readonly live: Stored }
    /** Its labels, with the data: the engine refuses if that differs from what it holds. */
    | { readonly action: 'adopt'; readonly spec: Spec; readonly live: Stored }
  )

interface FileIdentity {
  readonly name: string
  readonly position?: Problem['position']
}

interface Stored {
  readonly ID: string
  readonly Version: { readonly Index: number }
  readonly Spec: { readonly Labels?: Labels | null }
}

export interface FilePlan<Spec> {
  readonly steps: readonly FileStep<Spec>[]
  readonly changes: readonly Change[]
}

type Report = (problem: Problem) => void

export function planSecrets(
  { namespace, secrets }: StackSpec,
  { secrets: live }: Observation,
  report: Report,
): FilePlan<SecretSpec> {
  return planFiles('secret', namespace, secrets, live, report, (found, spec) =>
    isDeepStrictEqual(optionsOf(found.Spec), optionsOf(spec))
      ? spec.Data === undefined
        ? true
        : hasContent(found, spec)
      : false,
  )
}

export function planConfigs(
  { namespace, configs }: StackSpec,
  { configs: live }: Observation,
  report: Report,
): FilePlan<ConfigSpec> {
  return planFiles(
    'config',
    namespace,
    configs,
    live,
    report,
    (found, spec) =>
      isDeepStrictEqual(optionsOf(found.Spec), optionsOf(spec)) && (found.Spec.Data ?? '') === (spec.Data ?? ''),
  )
}

// --- Internal helpers ---

/** @param isSame whether a live object has the wanted content; undefined where only the engine can tell */
function planFiles<Spec extends SecretSpec & ConfigSpec, Live extends Secret | Config>(
  kind: Kind,
  namespace: string,
  objects: readonly (SecretObject | ConfigObject)[],
  live: ReadonlyMap<string, Live>,
  report: Report,
  isSame: (found: Live, spec: SecretSpec) => boolean | undefined,
): FilePlan<Spec> {
  const steps: FileStep<Spec>[] = []
  const changes: Change[] = []
  for (const object of objects) {
    const { name, position } = object
    const found = live.get(name)
    if (object.external) {
      if (found === undefined) report(absent(kind, name, position))
      continue
    }
    const spec = object.spec as Spec
    if (found === undefined) {
      steps.push({ name, position, action: 'create', spec })
      changes.push({ kind, name, action: 'create', fields: [] })
      continue
    }
    const owner = found.Spec.Labels?.[NAMESPACE_LABEL]
    if (owner !== undefined && owner !== namespace) {
      report(foreign(kind, name, owner, position))
      continue
    }
    const same = isSame(found, spec)
    if (same === false) {
      report(changedContent(kind, name, position))
      continue
    }
    const labels = { ...spec.Labels, ...ownLabels(found.Spec.Labels) }
    const fields = differingLabels(found.Spec.Labels ?? {}, labels)
    if (same === undefined) {
      steps.push({ name, position, action: 'adopt', spec: { ...spec, Labels: labels }, live: found })
      changes.push({ kind, name, action: 'update', fields: [...fields, 'digest'] })
    } else if (fields.length > 0) {
      const { Data: _unchanged, ...rest } = spec
      steps.push({ name, position, action: 'relabel', spec: { ...rest, Labels: labels } as Spec, live: found })
      changes.push({ kind, name, action: 'update', fields })
    }
  }
  return { steps, changes }
}

/** What else is fixed at creation. The engine takes another driver or template in an update, and ignores it. */
function optionsOf({ Driver, Templating }: SecretSpec): unknown {
  const plain = (driver: SecretSpec['Driver']): unknown => [
    driver?.Name ?? '',
    Object.entries(driver?.Options ?? {}).sort(),
  ]
  return [plain(Driver), plain(Templating)]
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

function absent(kind: Kind, name: string, position: Problem['position']): Problem {
  return {
    severity: 'error',
    code: 'missing-resource',
    message: `the external ${kind} "${name}" does not exist`,
    position,
    remedy: `Create it: docker ${kind} create ${name} FILE`,
  }
}

function foreign(kind: Kind, name: string, owner: string, position: Problem['position']): Problem {
  return {
    severity: 'error',
    code: 'conflict',
    message: `the ${kind} "${name}" belongs to the stack "${owner}"`,
    position,
    remedy: `Give this ${kind} another "name:", or use the existing one with "external: true".`,
  }
}

export function changedContent(kind: Kind, name: string, position: Problem['position']): Problem {
  return {
    severity: 'error',
    code: 'conflict',
    message: `the content of the ${kind} "${name}" differs from what the swarm holds under that name, and Swarm changes only labels of a ${kind}`,
    position,
    remedy: `Give the ${kind} a new "name:", for example with a version in it (name: ${name}-v2); services then follow.`,
  }
}
