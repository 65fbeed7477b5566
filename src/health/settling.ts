import type { Service } from '../swarm/service.ts'
import type { Base } from './base.ts'
import { enteredAt } from './instant.ts'
import { hasSlots, modeOf } from './mode.ts'
import { eligibleNodes, nodeName } from './nodes.ts'
import { countText } from './progress.ts'
import type { Slots } from './slots.ts'
import { isFreshUpdate } from './updating.ts'
import type { Expectation, Snapshot, Verdict } from './verdict.ts'

/** Right after an update Swarm may not have begun to replace tasks that are of the wanted spec from before (A, B, A): wait so long (ms). */
const UPDATE_BEGINS_WITHIN = 3000

/** While only Swarm's own word is missing that an update is over, look again after so long (ms), for up to `UPDATE_ENDS_WITHIN`. */
const LOOK_AGAIN = 250
const UPDATE_ENDS_WITHIN = 3000

/** All wanted tasks are there: is the update over, and did they stay long enough? */
export function settling(
  service: Service,
  slots: Slots,
  base: Base,
  expectation: Expectation,
  snapshot: Snapshot,
  updating: string,
): Verdict {
  const count = countText(slots, service)
  const starts = slots.slots.flatMap(({ place, current }) =>
    place === 'running' && current !== undefined ? [enteredAt(current, snapshot)] : [],
  )
  // What has completed stays so.
  const watchedUntil = starts.length === 0 ? 0 : Math.max(...starts) + expectation.monitor
  const mayBegin =
    expectation.written && updating === '' && isFreshUpdate(service) ? expectation.since + UPDATE_BEGINS_WITHIN : 0
  const settlesAt = Math.max(watchedUntil, mayBegin)
  if (snapshot.now < settlesAt) {
    const stage = [count, updating, 'watched for a while'].filter((text) => text !== '').join(', ')
    const seconds = Math.ceil((settlesAt - snapshot.now) / 1000)
    const sentence = [count, updating, `watched for ${seconds} s more`].filter((text) => text !== '').join(', ')
    return { ...base, condition: 'progressing', sentence, stage, settlesAt }
  }
  if (updating !== '') {
    const soon = snapshot.now < settlesAt + UPDATE_ENDS_WITHIN
    return {
      ...base,
      condition: 'progressing',
      sentence: `${count}, ${updating}`,
      stage: `${count}, ${updating}`,
      settlesAt: soon ? snapshot.now + LOOK_AGAIN : undefined,
    }
  }
  const sentence = `${count}${withoutText(service, snapshot)}`
  return { ...base, condition: 'converged', sentence, stage: sentence }
}

/** A service on every node is not on those that are down: they get it when they are back. */
function withoutText({ Spec: spec }: Service, { nodes }: Snapshot): string {
  if (hasSlots(modeOf(spec))) return ''
  const active = nodes.map((node) => ({ ...node, Status: { ...node.Status, State: 'ready' as const } }))
  const wanted = new Set(eligibleNodes(spec, active).map(({ ID }) => ID))
  const down = nodes.filter(({ ID, Status }) => Status.State === 'down' && wanted.has(ID))
  return down.length === 0 ? '' : `, without ${down.map(({ ID }) => nodeName(nodes, ID)).join(', ')}, which is down`
}
