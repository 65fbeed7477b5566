import type { SystemInfo } from '../swarm/info.ts'
import type { Engine } from './engine.ts'
import { type Call, engineCalls } from './engineCalls.ts'

/** A way to make calls of the Engine API. */
export interface Line {
  /** What the daemon speaks, such as `1.51`; known after the first call. */
  readonly apiVersion: string | undefined
  /** Rejects with an EngineError or the request's signal's reason. */
  readonly call: Call
  /** Whether the version agreed on with the daemon is that one or a newer. */
  speaks(version: string): Promise<boolean>
}

/** Asks the engine who it is, at once, whatever else is under way. */
export function askUrgently(line: Line, signal: AbortSignal): Promise<SystemInfo> {
  const call: Call = (request) => line.call({ ...request, isUrgent: true })
  return engineOver({ ...line, call }).info({ signal })
}

/** The typed calls over it. */
export function engineOver(line: Line): Engine {
  return {
    get apiVersion() {
      return line.apiVersion
    },
    ...engineCalls(line.call, (version) => line.speaks(version)),
  }
}
