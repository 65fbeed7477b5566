import type { Labels } from '../swarm/common.ts'
import { isOwnLabel } from '../swarm/names.ts'
import type { ConfigSpec, SecretSpec } from '../swarm/secret.ts'
import type { PlannedStack } from './applyPlan.ts'
import type { FieldDifference, ObjectDifference } from './differences.ts'
import { ABSENT, fieldTexts, type ManifestText } from './fieldText.ts'
import type { FileStep } from './planFiles.ts'

/** Of a secret only whether its content is another one, the same, or not to be known. */
export function secretDifference(
  step: FileStep<SecretSpec>,
  planned: PlannedStack,
  manifestText: ManifestText,
): ObjectDifference {
  const { live } = step
  const content = contentNote(step)
  const old = live && planned.observation.secrets.get(step.name)?.Spec.Labels
  return {
    ...common(step, 'secret'),
    fields: labelFields(old ?? {}, step.spec.Labels ?? {}, live !== undefined, manifestText),
    notes: content === undefined ? [] : [content],
  }
}

/** Of a config its size. No digest: a variable in it may be a secret, and who has a digest can try out short ones. */
export function configDifference(
  step: FileStep<ConfigSpec>,
  planned: PlannedStack,
  manifestText: ManifestText,
): ObjectDifference {
  const { live, supersedes, spec, name } = step
  const { configs } = planned.observation
  const before = supersedes.map((other) => configs.get(other)?.Spec.Data).at(-1)
  const old = before === undefined ? ABSENT : sizeText(before)
  const size = sizeText(spec.Data)
  const content = { field: 'content', old, new: old === size ? `${size}, but other ones` : size }
  const labels = labelFields(
    (live && configs.get(name)?.Spec.Labels) ?? {},
    spec.Labels ?? {},
    live !== undefined,
    manifestText,
  )
  return {
    ...common(step, 'config'),
    fields: live === undefined ? [content, ...labels] : labels,
    notes: supersedes.length === 0 ? [] : [`it takes the place of ${supersedes.join(', ')}`],
  }
}

// --- Internal helpers ---

/** Of a secret that is there or had another name: a new one has nothing to be compared with. */
function contentNote({ live, supersedes, spec }: FileStep<SecretSpec>): string | undefined {
  if (live === undefined) {
    return supersedes.length === 0
      ? undefined
      : `the content has changed: it takes the place of ${supersedes.join(', ')}`
  }
  if (spec.Driver?.Name) return 'its driver makes the content: nobody can tell whether that has changed'
  return spec.Templating?.Name ? 'the template is unchanged' : 'the content is unchanged'
}

function common({ name, position, live, supersedes }: FileStep<unknown>, kind: 'secret' | 'config') {
  const action = live !== undefined ? 'update' : supersedes.length > 0 ? 'rotate' : 'create'
  return { kind, name, action, position, more: 0 } as const
}

function sizeText(data = ''): string {
  return `${Buffer.from(data, 'base64').length} bytes`
}

function labelFields(
  live: Labels,
  wanted: Labels,
  isThere: boolean,
  manifestText: ManifestText,
): readonly FieldDifference[] {
  const names = [...new Set([...Object.keys(live), ...Object.keys(wanted)])].sort()
  return names
    .filter((name) => live[name] !== wanted[name])
    .filter((name) => isThere || !(isOwnLabel(name) || name.startsWith('com.docker.stack.')))
    .map((name) => {
      const field = `labels[${name}]`
      // Digests of secrets are for nobody's eyes.
      if (isOwnLabel(name)) return { field, old: textOf(live[name]), new: textOf(wanted[name]) }
      return { field, ...fieldTexts(field, json(live[name]), json(wanted[name]), manifestText) }
    })
}

function textOf(value: string | undefined): string {
  return value === undefined ? ABSENT : 'given'
}

function json(value: string | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value)
}
