// What a plan changes, field by field, for somebody who has to say yes to it.

import type { Problem } from '../errors.ts'
import type { PlannedStack } from './applyPlan.ts'
import type { ChangeAction } from './change.ts'
import type { ManifestText } from './fieldText.ts'
import { configDifference, secretDifference } from './fileDifferences.ts'
import { networkDifference } from './networkDifference.ts'
import { serviceDifference } from './serviceDifference.ts'
import type { VolumeDrift } from './volumeDrift.ts'

/** One object that a plan writes, or of which there is something to say. */
export interface ObjectDifference {
  readonly kind: 'network' | 'secret' | 'config' | 'service' | 'volume'
  /** The swarm's name. */
  readonly name: string
  readonly action: ChangeAction | 'none'
  /** At most 20. */
  readonly fields: readonly FieldDifference[]
  /** How many more differ. */
  readonly more: number
  /** Of a service that runs: whether its tasks are replaced. `some`: those whose node no longer fits. */
  readonly restarts?: 'all' | 'some' | 'none' | undefined
  /** Sentences about it. */
  readonly notes: readonly string[]
  readonly position?: Problem['position']
}

export interface FieldDifference {
  /** Dotted, as in `Change.fields`. */
  readonly field: string
  readonly old: string
  readonly new: string
  /** Such as `changed by hand`. */
  readonly note?: string | undefined
}

export interface StackDifferences {
  /** In the order of the writes, and then what the manifest does not have any more. */
  readonly objects: readonly ObjectDifference[]
  /** How many objects are as wanted. */
  readonly unchanged: number
}

/** What the stack has and the manifest does not. */
export interface LeftObject {
  readonly kind: ObjectDifference['kind']
  readonly name: string
  readonly isRemoved: boolean
  /** Why it is removed, or stays: a sentence. */
  readonly note: string
}

/** Pure. */
export function differencesOf(
  planned: PlannedStack,
  left: readonly LeftObject[],
  manifestText: ManifestText,
): StackDifferences {
  const { plan } = planned
  const shown = [
    ...plan.networks.map((step) => networkDifference(step, planned)),
    ...plan.volumes.map(volumeDifference),
    ...plan.secrets.map((step) => secretDifference(step, planned, manifestText)),
    ...plan.configs.map((step) => configDifference(step, planned, manifestText)),
    ...plan.services.map((step) => serviceDifference(step, planned, manifestText)),
  ]
  const total = plan.networks.length + plan.objects.length + plan.services.length
  return {
    objects: [
      ...shown.filter(({ action, notes }) => action !== 'none' || notes.length > 0),
      ...left.map(
        ({ kind, name, isRemoved, note }): ObjectDifference => ({
          kind,
          name,
          action: isRemoved ? 'remove' : 'none',
          fields: [],
          more: 0,
          notes: [note],
        }),
      ),
    ],
    unchanged: total - shown.filter(({ action }) => action !== 'none').length,
  }
}

// --- Internal helpers ---

function volumeDifference({ name, settings, position }: VolumeDrift): ObjectDifference {
  return {
    kind: 'volume',
    name,
    action: 'none',
    position,
    fields: [],
    more: 0,
    notes: [
      `it gets other settings (${settings.join(', ')}), but where it exists it stays: remove it by hand, or give it another name`,
    ],
  }
}
