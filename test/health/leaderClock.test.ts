// Whose clock counts: stamps are the leader's, the run reads that of the manager it talks to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaderAhead, sinceFirstRead } from '../../src/health/leaderClock.ts'
import type { Service } from '../../src/swarm/service.ts'
import type { Task } from '../../src/swarm/task.ts'

const NOON = Date.UTC(2026, 0, 1, 12)
const HOUR = 3_600_000

/** Written by this run at these milliseconds after noon by the run's clock; stamped by the leader `after` later, whose clock is off. */
interface Write {
  readonly sent: number
  readonly after: number
}

function ahead(off: number, writes: readonly Write[], seen: number, others: readonly number[] = []): number {
  const services = [...writes.map(({ sent, after }) => NOON + sent + after + off), ...others].map(
    (stamp, index): Service => ({
      ID: `id${index}`,
      Version: { Index: 1 },
      CreatedAt: new Date(0).toISOString(),
      UpdatedAt: new Date(stamp).toISOString(),
      Spec: { Name: `s${index}`, TaskTemplate: {} },
    }),
  )
  const sentAt = new Map(writes.map(({ sent }, index) => [`s${index}`, NOON + sent]))
  return leaderAhead(services, sentAt, NOON + seen)
}

test('a difference shows in what the run wrote, and is never taken for more than it is', () => {
  const one = [{ sent: 0, after: 100 }]
  const many = [
    { sent: 0, after: 2900 },
    { sent: 1000, after: 50 },
    { sent: 3000, after: 800 },
  ]
  const cases: readonly (readonly [string, number, readonly Write[], number, number])[] = [
    ['the same clock', 0, one, 300, 0],
    ['the same clock, and slow writes', 0, many, 4000, 0],
    ['the same clock, and a first look that took its time', 0, one, 60_000, 0],
    ['less than what matters', 900, one, 300, 0],
    ['less than what matters, behind', -900, one, 300, 0],
    ['the leader is two hours ahead', 2 * HOUR, one, 300, 2 * HOUR - 200],
    ['the leader is two hours behind', -2 * HOUR, one, 300, -2 * HOUR - 200],
    ['the leader is ten seconds behind', -10_000, many, 4000, -10_200],
    ['the leader is ten seconds ahead', 10_000, many, 4000, 9800],
  ]
  for (const [what, off, writes, seen, expected] of cases) {
    assert.equal(ahead(off, writes, seen), expected, what)
    assert.ok(expected === 0 || expected <= off, what)
  }
})

test('what others wrote tells nothing: its stamp may be years old, or of a clock that was wrong', () => {
  assert.equal(ahead(0, [], 300, [NOON + 9 * HOUR]), 0)
  assert.equal(ahead(0, [{ sent: 0, after: 100 }], 300, [NOON + 9 * HOUR, 0]), 0)
})

test('failures of what is left alone count from the first read; those that are there count never where the leader is ahead', () => {
  const task = (updated: number): Task => ({
    ID: 't',
    Version: { Index: 1 },
    CreatedAt: new Date(NOON + updated - 100).toISOString(),
    UpdatedAt: new Date(NOON + updated).toISOString(),
    Spec: {},
    ServiceID: 's',
    DesiredState: 'shutdown',
    Status: { Timestamp: new Date(NOON).toISOString(), State: 'failed' },
  })
  const cases: readonly (readonly [string, readonly number[], number])[] = [
    ['nothing there', [], 0],
    ['failed long ago', [-HOUR], 0],
    ['failed just now', [250], 0],
    ['failed at the time of the look, by a clock that hardly differs', [1200], 0],
    ['failed before, by a clock that is ahead', [HOUR - 60_000, -HOUR], HOUR - 60_000 + 1],
  ]
  for (const [what, updated, expected] of cases) {
    assert.equal(sinceFirstRead(NOON, updated.map(task), NOON + 300), NOON + expected, what)
  }
})
