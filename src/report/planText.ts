// What a plan would do, for the log and for the summary.
import type { FieldDifference, ObjectDifference, StackDifferences } from '../backend/differences.ts'
import { codeSpan, markdownText, shortImage, table } from './markdown.ts'
import { counted } from './serviceText.ts'
import { cleanLine } from './untrusted.ts'

const MOST_OBJECTS = 300
const SIGNS = { create: '+', update: '~', retry: '~', credentials: '~', rotate: '+', remove: '-', none: ' ' }
const WORDS = {
  create: 'is created',
  update: 'is updated',
  retry: 'is started again',
  credentials: "gets the registry's login",
  rotate: 'is created, and services move to it',
  remove: 'is removed',
  none: 'is left as it is',
}
const RESTARTS = {
  all: 'its tasks are replaced',
  some: 'tasks are replaced whose node no longer fits',
  none: 'no task is replaced',
}

/** A plan for the log: a line an object, and one for each of its fields. */
export function planLines(plan: StackDifferences): readonly string[] {
  const objects = plan.objects.slice(0, MOST_OBJECTS)
  return [
    ...objects.flatMap((one) => [
      `${SIGNS[one.action]} ${one.kind} ${cleanLine(one.name, 200)} ${says(one)}`,
      ...one.fields.map((field) => `      ${fieldLine(field, one.action === 'create' || one.action === 'rotate')}`),
      ...(one.more === 0 ? [] : [`      … and ${counted(one.more, 'more field')}`]),
      ...one.notes.map((note) => `      (${cleanLine(note)})`),
    ]),
    ...remainder(plan),
  ]
}

/** The same in Markdown, block by block. */
export function* planBlocks(plan: StackDifferences, id: string | undefined): Generator<string> {
  yield '### What would be done'
  for (const one of plan.objects.slice(0, MOST_OBJECTS)) {
    yield `**${SIGNS[one.action].trim() || '·'}** ${one.kind} ${codeSpan(one.name)} ${says(one)}`
    if (one.fields.length > 0) yield fieldTable(one)
    if (one.more > 0) yield `… and ${counted(one.more, 'more field')}`
    if (one.notes.length > 0) yield one.notes.map((note) => `- ${markdownText(note)}`).join('\n')
  }
  for (const line of remainder(plan)) yield line
  if (id !== undefined) yield `\`plan-id\`: ${codeSpan(id)}`
}

// --- Internal helpers ---

function says({ action, restarts }: ObjectDifference): string {
  return restarts === undefined ? WORDS[action] : `${WORDS[action]}: ${RESTARTS[restarts]}`
}

function remainder({ objects, unchanged }: StackDifferences): readonly string[] {
  const more = objects.length - MOST_OBJECTS
  return [
    ...(more > 0 ? [`… and ${counted(more, 'more object')}`] : []),
    ...(unchanged > 0 ? [`${counted(unchanged, 'object')} of the stack as wanted already.`] : []),
  ]
}

/** `replicas: 5 → 2 (scaled by hand)`; of what is new only the value. */
function fieldLine({ field, old, new: now, note }: FieldDifference, isNew: boolean): string {
  const value = (text: string): string => cleanLine(shortImage(text), 300)
  const before = isNew && old === '(absent)' ? '' : `${value(old)} → `
  return `${cleanLine(field, 200)}: ${before}${value(now)}${note === undefined ? '' : ` (${cleanLine(note)})`}`
}

function fieldTable({ fields }: ObjectDifference): string {
  const hasNotes = fields.some(({ note }) => note !== undefined)
  return table(
    ['Field', 'Now', 'Then', ...(hasNotes ? [''] : [])],
    fields.map(({ field, old, new: now, note }) => [
      codeSpan(field),
      codeSpan(shortImage(old)),
      codeSpan(shortImage(now)),
      ...(hasNotes ? [markdownText(note ?? '')] : []),
    ]),
  )
}
