import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError, mayPass } from './engine.ts'
import type { Line } from './line.ts'
import type { EngineRequest } from './request.ts'

/** Who has the line of the moment, and puts another in its place when it breaks. */
export interface LineKeeper {
  readonly apiVersion: string | undefined
  /**
   * The line to use, as soon as there is one that works. Rejects with a final EngineError where none will come, or none came before the
   * signal's end.
   */
  live(signal: AbortSignal | undefined): Promise<Line>
  /** Asks for a look at a line over which a call went wrong or, without an error, is long under way. */
  doubt(line: Line, error?: EngineError): void
  /** A call over it went well. */
  trust(line: Line): void
}

interface Lasting {
  /** Bounds the calls that bring no signal of their own. */
  readonly bound: () => AbortSignal | undefined
  /** How long (ms) a call may be under way before its line is looked at, and each time again. */
  readonly longCall?: number
  /** How long (ms) a call may go without an answer before it is given up, at the first try; each further try has as much more. */
  readonly silence?: number
  /**
   * The same (ms) for what the engine only passes on. An engine gives up a registry that says nothing at all after 25 to 30 s, and says why; on one
   * that greets it and then is silent it waits for ever.
   */
  readonly silenceOfOthers?: number
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** Longest pause (ms) between two tries of a call. */
const LONGEST_PAUSE = 5_000

/**
 * A line that survives the loss of the ones under it. What reads is repeated until it is answered, and so is a removal by id, which does the
 * same twice, and what was never sent. Any other write that got no answer rejects as `connection` or `passing`: the caller looks what became of
 * it, and that look waits for the line to be there again.
 */
export function lastingLine(
  keeper: LineKeeper,
  {
    bound,
    longCall = 10_000,
    silence = 25_000,
    silenceOfOthers = 45_000,
    pause = (ms, signal) => sleep(ms, undefined, signal && { signal }).then(() => {}),
  }: Lasting,
): Line {
  /** A line may be well, and the one connection that a call went over be dead: nobody says so, and no look at the line would show it. */
  const over = async (line: Line, request: EngineRequest, tries: number): Promise<Buffer> => {
    const limit = new AbortController()
    const patience = request.passedOnTo === undefined ? silence * tries : silenceOfOthers
    const pulse = setInterval(() => keeper.doubt(line), longCall)
    const timer = setTimeout(() => limit.abort(noAnswer(request, patience)), patience)
    const signal = request.signal === undefined ? limit.signal : AbortSignal.any([request.signal, limit.signal])
    try {
      return await line.call({ ...request, signal })
    } finally {
      clearInterval(pulse)
      clearTimeout(timer)
    }
  }
  return {
    get apiVersion() {
      return keeper.apiVersion
    },
    speaks: async (version) => (await keeper.live(bound())).speaks(version),
    async call(request) {
      const signal = request.signal ?? bound()
      let mayBeDone = false
      for (let tries = 1; ; tries++) {
        const line = await keeper.live(signal).catch((error: unknown) => {
          throw mayBeDone && error instanceof EngineError ? afterSending(error) : error
        })
        try {
          const answer = await over(line, { ...request, signal }, tries)
          keeper.trust(line)
          return answer
        } catch (error) {
          if (mayBeDone && request.method === 'DELETE' && isGone(error)) return Buffer.alloc(0)
          if (!mayPass(error) || speaksOfOthers(request, error)) throw error
          keeper.doubt(line, error)
          if (request.method === 'POST' && !error.isUnsent) throw error
          mayBeDone ||= !error.isUnsent
        }
        // Its end is for `live` to tell.
        await pause(Math.min(250 * 2 ** (tries - 1), LONGEST_PAUSE), signal).catch(() => {})
      }
    },
  }
}

/** The end of a call that was sent before, and of which a later try was not. */
function afterSending({ kind, status, message, isFinal, cause }: EngineError): EngineError {
  return new EngineError(kind, status, message, {
    cause: Object.assign(new Error(message, { cause }), { final: isFinal }),
  })
}

function isGone(error: unknown): boolean {
  return error instanceof EngineError && error.kind === 'not-found'
}

function noAnswer({ doing, passedOnTo }: EngineRequest, patience: number): EngineError {
  const how = `did not answer within ${Math.round(patience / 1000)} s`
  return passedOnTo === undefined
    ? new EngineError('connection', 0, `Lost the engine while trying to ${doing}: it ${how}`)
    : new EngineError('passing', 0, `The engine could not ${doing}: ${passedOnTo} ${how}`)
}

/** What a registry, or the node of a task, has trouble with is no trouble of the manager. */
function speaksOfOthers({ passedOnTo }: EngineRequest, { kind }: EngineError): boolean {
  return kind === 'passing' && passedOnTo !== undefined
}
