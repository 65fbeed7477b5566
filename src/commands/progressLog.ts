import type { EngineError } from '../engine/engine.ts'
import type { Verdict } from '../health/verdict.ts'
import type { Log } from '../report/log.ts'
import { HEARTBEAT } from '../rollout/watch.ts'
import { shortList } from '../shortList.ts'
import { steadyNow } from '../steadyNow.ts'

const MARKS = { converged: '✔', progressing: '…', failed: '✘' } as const

/** More news at once than this, and those that say the same share a line; a big stack would flood the log otherwise. */
const TOLD_ONE_BY_ONE = 5

/** So many services are named on a line, the others are counted. */
const NAMED = 10

/** So few pending services are told with what they lack in a sign of life. */
const EXPLAINED = 3

/** Says a line for each thing that is new about a service, and remembers when each came to its verdict. */
export function createProgressLog(log: Log, clock: () => number = steadyNow) {
  const startedAt = clock()
  const settledAt = new Map<string, number>()
  let lastTrouble = ''
  let troubleSaidAt = 0
  const say = (text: string): void => log.info(`${((clock() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`)
  return {
    /** A line with the seconds since the start before it. */
    say,
    verdicts(changed: readonly Verdict[], all: readonly Verdict[]): void {
      lastTrouble = ''
      for (const verdict of changed) {
        if (verdict.condition === 'progressing') settledAt.delete(verdict.name)
        else settledAt.set(verdict.name, clock())
      }
      for (const line of changed.length === 0 ? [signOfLife(all)] : news(changed, all)) say(line)
    },
    /** Says it once, and again as a sign of life. */
    trouble(error: EngineError): void {
      if (error.message === lastTrouble && clock() - troubleSaidAt < HEARTBEAT) return
      say(`the manager could not be asked, trying again: ${error.message}`)
      lastTrouble = error.message
      troubleSaidAt = clock()
    },
    /** Gives signs of life while an answer is awaited: a look outlasts a lost connection. */
    async awaiting<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
      const askedAt = clock()
      const timer = setInterval(
        () => say(`no answer from the manager for ${Math.round((clock() - askedAt) / 1000)} s, still waiting for it`),
        HEARTBEAT,
      )
      const stop = (): void => clearInterval(timer)
      signal?.addEventListener('abort', stop, { once: true })
      try {
        return await answer
      } finally {
        stop()
        signal?.removeEventListener('abort', stop)
      }
    },
    /** From the start of the wait to the service's verdict; undefined while it has none. */
    secondsOf(name: string): number | undefined {
      const at = settledAt.get(name)
      return at === undefined ? undefined : Math.round((at - startedAt) / 100) / 10
    },
  }
}

function news(changed: readonly Verdict[], all: readonly Verdict[]): readonly string[] {
  if (changed.length <= TOLD_ONE_BY_ONE) return changed.map(lineOf)
  const converged = all.filter(({ condition }) => condition === 'converged').length
  return (['converged', 'progressing', 'failed'] as const).flatMap((condition) => {
    const group = changed.filter((verdict) => verdict.condition === condition)
    if (group.length <= 1) return group.map(lineOf)
    // A failure is what the reader came for: each is told, as far as a screen goes.
    if (condition === 'failed') return [...group.slice(0, NAMED).map(lineOf), ...moreOf(group)]
    const count = condition === 'converged' ? ` (${converged} of ${all.length} services)` : ''
    return [`${MARKS[condition]} ${condition}${count}: ${named(group)}`]
  })
}

function lineOf({ condition, key, sentence }: Verdict): string {
  return `${MARKS[condition]} ${key}: ${sentence}`
}

function moreOf(group: readonly Verdict[]): readonly string[] {
  return group.length <= NAMED ? [] : [`${MARKS.failed} failed too: ${named(group.slice(NAMED))}`]
}

function signOfLife(all: readonly Verdict[]): string {
  const open = all.filter(({ condition }) => condition === 'progressing')
  if (open.length > EXPLAINED) return `still waiting for ${open.length} of ${all.length} services: ${named(open)}`
  return `still waiting for ${open.map(({ key, sentence }) => `${key}: ${sentence}`).join(' | ')}`
}

function named(verdicts: readonly Verdict[]): string {
  return shortList(
    verdicts.map(({ key }) => key),
    NAMED,
  )
}
