import type { EndingTask, Remains } from '../backend/stackRemains.ts'
import { shortList } from '../shortList.ts'

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
  return [`${names.length === 1 ? kind : `${kind}s`} ${shortList(names, NAMED)}`]
}

/** `shop_web.1 on node-b, which is down` */
function taskText({ name, node, nodeState }: EndingTask): string {
  if (node === '') return name
  return `${name} on ${node}${nodeState === '' || nodeState === 'ready' ? '' : ` (node is ${nodeState})`}`
}
