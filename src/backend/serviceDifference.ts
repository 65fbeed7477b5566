import { isNativeJob, modeOf } from '../health/mode.ts'
import { isAddedLabel } from '../swarm/names.ts'
import type { Service } from '../swarm/service.ts'
import type { PlannedStack } from './applyPlan.ts'
import type { FieldDifference, ObjectDifference } from './differences.ts'
import { fieldTexts, labelOf, type ManifestText } from './fieldText.ts'
import { type Meaning, meaningOf } from './meaning.ts'
import { FORCED, isStartedAgain, networkNames, type ServiceStep, wouldRunAgain } from './planServices.ts'
import { replacedBy } from './replacedBy.ts'
import { isByHand } from './writtenLabel.ts'

const MOST_FIELDS = 20

/** What comes first is what matters most; anything else follows by name, the log's driver last. */
const ORDER = [
  'mode',
  'replicas',
  'maxConcurrent',
  'totalCompletions',
  'image',
  'resources',
  'env',
  'constraints',
  'labels',
  'containerLabels',
  'ports',
  'endpointMode',
  'networks',
  'mounts',
  'secrets',
  'configs',
  'healthcheck',
  'updateConfig',
  'rollbackConfig',
  'restartPolicy',
  'placement',
  'command',
  'args',
  '',
  'logDriver',
]

export function serviceDifference(
  step: ServiceStep,
  planned: PlannedStack,
  manifestText: ManifestText,
): ObjectDifference {
  const { name, action, live, position } = step
  const toName = networkNames(planned.observation)
  const [old, wanted] = [
    live === undefined ? new Map<string, string>() : meaningOf(live.Spec, toName),
    meaningOf(step.spec, toName),
  ]
  const names =
    live === undefined
      ? worthSaying(wanted)
      : step.fields.filter((field) => field !== FORCED && field !== 'credentials')
  const fields = inOrder(names).map((field) => difference(field, old, wanted, live, manifestText))
  return {
    kind: 'service',
    name,
    action,
    position,
    fields: fields.slice(0, MOST_FIELDS),
    more: Math.max(0, fields.length - MOST_FIELDS),
    restarts: live === undefined || action === 'none' ? undefined : restarts(step, live, planned),
    notes: notesOf(step),
  }
}

// --- Internal helpers ---

function difference(
  field: string,
  old: Meaning,
  wanted: Meaning,
  live: Service | undefined,
  manifestText: ManifestText,
): FieldDifference {
  const texts = fieldTexts(field, old.get(field), wanted.get(field), manifestText)
  const tag = (image: string): string => image.replace(/@sha256:.*$/, '')
  const moved =
    field === 'image' && texts.old !== texts.new && tag(texts.old) === tag(texts.new)
      ? 'the tag names another image now'
      : undefined
  const hand = isByHand(field, old, wanted, live?.Spec.Labels) ? deedOf(field, old, wanted) : undefined
  const note = [hand, moved].filter((text) => text !== undefined).join(', ')
  return { field, ...texts, ...(note !== '' && { note }) }
}

function deedOf(field: string, old: Meaning, wanted: Meaning): string {
  if (field === 'replicas') return 'scaled by hand'
  return `${!old.has(field) ? 'removed' : !wanted.has(field) ? 'added' : 'changed'} by hand`
}

/** Of a new service: what is not in every one, and not what only says that a block of settings is there. */
function worthSaying(wanted: Meaning): readonly string[] {
  return [...wanted]
    .filter(([field, value]) => {
      const label = labelOf(field)
      return value !== 'given' && (label === undefined || !isAddedLabel(label))
    })
    .map(([field]) => field)
}

function inOrder(fields: readonly string[]): readonly string[] {
  const rank = (field: string): number => {
    const known = ORDER.indexOf(/^[^.[]*/.exec(field)?.[0] ?? '')
    return known === -1 ? ORDER.indexOf('') : known
  }
  return [...fields].sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : left > right ? 1 : 0))
}

function restarts(step: ServiceStep, live: Service, { observation }: PlannedStack): ObjectDifference['restarts'] {
  const { fields } = step
  if (isStartedAgain(step) || isNativeJob(modeOf(live.Spec)) || fields.includes(FORCED)) return 'all'
  const replaced = replacedBy(fields)
  return replaced === 'none' && wouldRunAgain(live, observation) ? 'all' : replaced
}

function notesOf(step: ServiceStep): readonly string[] {
  const { fields } = step
  return [
    ...(isStartedAgain(step) ? ['what stopped or failed is started again'] : []),
    ...(fields.includes(FORCED) ? ['its tasks are restarted because `force` says so'] : []),
    ...(fields.includes('credentials') ? ["the registry's login is another one than was written last"] : []),
  ]
}
