import { setTimeout as sleep } from 'node:timers/promises'
import { requireManager } from '../backend/manager.ts'
import { EngineError } from '../engine/engine.ts'
import type { LineKeeper } from '../engine/lastingLine.ts'
import { askUrgently } from '../engine/line.ts'
import { DeployError, messageOf } from '../errors.ts'
import type { Outage } from './context.ts'
import type { Manager } from './openManager.ts'

/** An endpoint of the list, by its index, and the manager behind it. */
export interface Kept {
  readonly index: number
  readonly manager: Manager
}

export interface Keeping {
  /** How many endpoints the list has. */
  readonly count: number
  /** How an endpoint is called in messages: `ssh://deploy@host`. */
  readonly nameOf: (index: number) => string
  /** Opens the way to an endpoint anew; rejects as openManager does. */
  readonly open: (index: number, signal: AbortSignal) => Promise<Manager>
  readonly log: (line: string) => void
  /** Told what is wrong as long as something is, and of another manager that is used from now on. */
  readonly onOutage: (outage: Outage | undefined) => void
  readonly onManager: (kept: Kept) => void
  /** Aborted when the run was cancelled. */
  readonly cancelled: AbortSignal
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** So long (ms) may a manager take to say who it is, when its line is in doubt. With lastingLine's own wait this is less than 30 s. */
const PATIENCE = 15_000

/** Longest pause (ms) between two rounds through the list. */
const LONGEST_PAUSE = 5_000

/**
 * Keeps the way to the swarm open: a line in doubt is looked at, and where it is broken another one is opened, to the same endpoint or else to
 * the next of the list that answers, again and again with growing pauses. It gives up only where every endpoint shows a wrong host
 * key or refuses the login; how long it is waited for is the callers' business.
 */
export function managerKeeper(first: Kept, keeping: Keeping): LineKeeper & { close(): Promise<void> } {
  const { log, onOutage, cancelled, pause = (ms, signal) => sleep(ms, undefined, { signal }).then(() => {}) } = keeping
  const closing = new AbortController()
  const stop = AbortSignal.any([cancelled, closing.signal])
  let current = first
  /** A look at the line, or the building of another, is under way. */
  let work: Promise<void> | undefined
  /** There is no line, and none may come any more. */
  let isBroken = false
  let end: EngineError | undefined
  let outage: Outage | undefined
  /** The last trouble that was logged of a manager that answers. */
  let said = ''

  const tell = (news: Outage | undefined): void => {
    outage = news
    onOutage(news)
  }

  const rebuild = async (why: string): Promise<void> => {
    const lostAt = Date.now()
    const since = `The connection to ${keeping.nameOf(current.index)} was lost at ${clockTime(lostAt)} (${sentence(why)})`
    tell({ code: 'connection', message: `${since}.` })
    log(`${since}; connecting again`)
    isBroken = true
    void current.manager.close()
    for (let round = 1; ; round++) {
      const failures: { readonly name: string; readonly error: unknown }[] = []
      for (const index of inOrder(current.index, keeping.count)) {
        try {
          current = { index, manager: await keeping.open(index, stop) }
          const after = Math.round((Date.now() - lostAt) / 1000)
          log(
            `Connected again, after ${after} s: manager ${current.manager.info.Name}, over ${current.manager.description}`,
          )
          isBroken = false
          tell(undefined)
          keeping.onManager(current)
          return
        } catch (error) {
          if (stop.aborted) return
          failures.push({ name: keeping.nameOf(index), error })
        }
      }
      const reasons =
        failures.length === 1
          ? sentence(messageOf(failures[0]?.error))
          : failures.map(({ name, error }) => `${name}: ${sentence(messageOf(error))}`).join('; ')
      const message = `${since} and could not be rebuilt: ${reasons}.`
      const { code = 'connection', remedy } = findingIn(failures[0]?.error)
      const isOver = failures.every(({ error }) => asksForAPerson(error))
      tell({ code: isOver ? code : 'connection', message, remedy })
      if (isOver) {
        end = givenUp(message, failures[0]?.error)
        return
      }
      await pause(Math.min(500 * 2 ** (round - 1), LONGEST_PAUSE), stop).catch(() => {})
      if (stop.aborted) return
    }
  }

  const examine = async (trouble: EngineError | undefined): Promise<void> => {
    const found = await ailmentOf(current.manager, stop)
    if (stop.aborted) {
      isBroken = trouble?.kind === 'connection'
      return
    }
    if (found === undefined) {
      if (trouble !== undefined && outage === undefined) tell({ code: 'connection', message: sinceNow(trouble) })
      return
    }
    // A manager that answers, though it can do nothing for now, is better than none.
    if (found.answers && keeping.count === 1) return
    await rebuild(trouble?.kind === 'connection' ? lossIn(trouble) : found.why)
  }

  return {
    get apiVersion() {
      return current.manager.line.apiVersion
    },
    async live(signal) {
      for (;;) {
        if (end !== undefined) throw end
        if (signal?.aborted) throw outage === undefined ? signal.reason : givenUp(outage.message, signal.reason)
        if (closing.signal.aborted) throw closing.signal.reason
        // A run that is stopped still finds out what became of its last write, but waits for no new connection.
        if (cancelled.aborted && (isBroken || work !== undefined)) throw cancelled.reason
        if (work === undefined) return current.manager.line
        await settledOr(work, signal === undefined ? stop : AbortSignal.any([signal, stop]))
      }
    },
    doubt(line, error) {
      if (line !== current.manager.line || work !== undefined) return
      if (stop.aborted) {
        isBroken ||= error?.kind === 'connection'
        return
      }
      if (error?.kind === 'passing') {
        if (error.message !== said) log(`${error.message}; trying again`)
        said = error.message
        if (outage === undefined) tell({ code: 'engine', message: sinceNow(error) })
        if (keeping.count === 1) return
      }
      work = examine(error).finally(() => {
        work = undefined
      })
    },
    trust(line) {
      if (line === current.manager.line && work === undefined && outage !== undefined) tell(undefined)
    },
    async close() {
      closing.abort(new Error('the connection is closed'))
      await current.manager.close()
    },
  }
}

// --- Internal helpers ---

/** The one that was used, and then the others as they stand in the list. */
function inOrder(used: number, count: number): readonly number[] {
  return [used, ...Array.from({ length: count }, (_, index) => index).filter((index) => index !== used)]
}

/** What is wrong with a manager; undefined where nothing is. `answers`: the line to it is good. */
async function ailmentOf(
  { line }: Manager,
  stop: AbortSignal,
): Promise<{ readonly why: string; readonly answers: boolean } | undefined> {
  const late = AbortSignal.timeout(PATIENCE)
  try {
    requireManager(await askUrgently(line, AbortSignal.any([stop, late])))
    return undefined
  } catch (error) {
    if (late.aborted) return { why: `its engine did not answer within ${PATIENCE / 1000} s`, answers: false }
    if (error instanceof EngineError && isFull(error)) return undefined
    const answers = error instanceof DeployError || (error instanceof EngineError && error.kind !== 'connection')
    return { why: lossIn(error), answers }
  }
}

/** The way in has no room for a further connection, because those it has are in use. */
function isFull({ cause }: EngineError): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EMFILE'
}

/** Why a call got no answer, without which call it was and to whom; otherwise what was answered. */
function lossIn(error: unknown): string {
  const why = error instanceof EngineError && error.kind === 'connection' ? (error.cause ?? error) : error
  return messageOf(why).replace(/^the SSH connection to \S+ was lost: /, '')
}

function findingIn(error: unknown): Partial<Pick<DeployError, 'code' | 'remedy'>> {
  return error instanceof DeployError ? error : {}
}

/** Trying again does not mend these. */
function asksForAPerson(error: unknown): boolean {
  const { code } = findingIn(error)
  return code === 'host-key' || code === 'authentication'
}

function givenUp(message: string, reason: unknown): EngineError {
  const cause = Object.assign(new Error(message, { cause: reason }), { final: true, unsent: true })
  return new EngineError('connection', 0, message, { cause })
}

/** Resolves with the work, whatever became of it, or with the signal's end. */
function settledOr(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done)
      resolve()
    }
    if (signal.aborted) done()
    signal.addEventListener('abort', done, { once: true })
    work.then(done, done)
  })
}

function sinceNow({ message }: EngineError): string {
  return `Since ${clockTime(Date.now())} the manager could not be asked: ${message}`
}

function sentence(text: string): string {
  return text.replace(/\.$/, '')
}

/** `20:13:04 UTC`. */
function clockTime(at: number): string {
  return `${new Date(at).toISOString().slice(11, 19)} UTC`
}
