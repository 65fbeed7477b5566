import type { EndingTask, Remains } from '../backend/stackRemains.ts'

/** So many are named, the others counted. */
const NAMED = 5

/** What is left of a stack, in words: `task shop_web.1 on node-a, network shop_front`. Empty where nothing is. */
export function remainsText({ tasks, objects }: Remains): string {
  return [
    ...listed('task', tasks.map(taskText)),
    ...objects.map(
      ({ kind, name, refusal }) => `${kind} ${name}${refusal === undefined ? '' : ' (the engine refuses)'}`,
    ),
  ].join(', ')
}

// --- Internal helpers ---

function listed(kind: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return []
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  return [`${names.length === 1 ? kind : `${kind}s`} ${names.slice(0, NAMED).join(', ')}${more}`]
}

/** `shop_web.1 on node-b, which is down` */
function taskText({ name, node, nodeState }: EndingTask): string {
  if (node === '') return name
  return `${name} on ${node}${nodeState === '' || nodeState === 'ready' ? '' : ` (node is ${nodeState})`}`
}
