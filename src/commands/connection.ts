import { requireManager } from '../backend/manager.ts'
import { openEngine } from '../engine/dockerEngine.ts'
import { type Engine, EngineError } from '../engine/engine.ts'
import { managerClock } from '../engine/managerClock.ts'
import { DeployError, messageOf } from '../errors.ts'
import type { Inputs } from '../inputs.ts'
import type { SystemInfo } from '../swarm/info.ts'
import { describeEndpoint } from '../tunnel/endpoint.ts'
import { openTunnel } from '../tunnel/openTunnel.ts'
import type { CommandContext } from './context.ts'
import { type FailedEndpoint, noManagerError } from './noManagerError.ts'
import { sshSettings } from './sshSettings.ts'

export interface Connection {
  readonly engine: Engine
  /** Milliseconds since the epoch by the manager's clock. */
  readonly now: () => number
  close(): Promise<void>
}

/** A timer of more (ms) fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * Opens the way to the first endpoint that answers as a manager which can change its swarm. Each that does not is told with its
 * reason; throws a DeployError where none does.
 */
export async function connect(context: CommandContext, signal: AbortSignal): Promise<Connection> {
  const { endpoints } = context.inputs
  const failed: FailedEndpoint[] = []
  for (const [index, endpoint] of endpoints.entries()) {
    try {
      const connection = await connectTo(context, endpoint, index + 1, signal)
      failed.forEach(warnOfHostKey(context))
      return connection
    } catch (error) {
      // One endpoint alone speaks for itself. What is no finding about an endpoint ends the run.
      if (endpoints.length === 1 || signal.aborted || !isRefusal(error)) throw error
      const failure = { endpoint: describeEndpoint(withSocket(context, endpoint)), error: asFinding(error) }
      failed.push(failure)
      context.progress.manager = undefined
      context.log.info(
        `Manager ${index + 1} of ${endpoints.length}, ${failure.endpoint}, is not used: ${failure.error.message}`,
      )
    }
  }
  throw noManagerError(failed)
}

function isRefusal(error: unknown): error is DeployError | EngineError {
  return (error instanceof DeployError && error.code !== 'internal') || error instanceof EngineError
}

function asFinding(error: DeployError | EngineError): DeployError {
  return error instanceof DeployError ? error : new DeployError('connection', messageOf(error), { cause: error })
}

/** A host key that was not accepted may be an attack: the run goes on elsewhere, and the warning stays. */
function warnOfHostKey({ warn }: CommandContext) {
  return ({ endpoint, error: { code, message, remedy } }: FailedEndpoint): void => {
    if (code === 'host-key')
      warn({ severity: 'warning', code, message: `${endpoint} was not used: ${message}`, remedy })
  }
}

async function connectTo(
  context: CommandContext,
  endpoint: Inputs['endpoints'][number],
  number: number,
  signal: AbortSignal,
): Promise<Connection> {
  const { inputs, log, warn, progress } = context
  const within = Math.min(inputs.connectTimeout, LONGEST_TIMER)
  const began = performance.now()
  const tunnel = await openTunnel({
    endpoint: withSocket(context, endpoint),
    ssh: sshSettings(context),
    tls: inputs.tls,
    connectTimeoutMs: within,
    warn: (message) => warn({ severity: 'warning', code: 'connection', message }),
    say: (text) => log.info(text),
    signal,
  })
  try {
    const engine = openEngine(tunnel.agent)
    const askedAt = Date.now()
    const info = await firstAnswer(engine, tunnel.description, within, within - (performance.now() - began), signal)
    const now = managerClock(info, askedAt, Date.now())
    progress.manager = `${number} ${info.Name}`
    progress.engineVersion = `${info.ServerVersion ?? ''}`
    requireManager(info)
    log.info(`Manager ${info.Name}, engine ${info.ServerVersion}, over ${tunnel.description}`)
    return { engine, now, close: () => tunnel.close() }
  } catch (error) {
    await tunnel.close()
    throw error
  }
}

function withSocket({ inputs }: CommandContext, endpoint: Inputs['endpoints'][number]) {
  return endpoint.kind === 'ssh' ? { ...endpoint, dockerSocket: inputs.dockerSocket } : endpoint
}

/** An engine that hangs takes connections and answers nothing: what is left (ms) of the time for connecting bounds that as well. */
async function firstAnswer(
  engine: Engine,
  description: string,
  within: number,
  left: number,
  signal: AbortSignal,
): Promise<SystemInfo> {
  const late = AbortSignal.timeout(Math.max(1, Math.ceil(left)))
  try {
    return await engine.info({ signal: AbortSignal.any([signal, late]) })
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error
    throw new DeployError(
      'connection',
      `The Docker engine behind ${description} did not answer within ${Math.round(within / 100) / 10} s.`,
      {
        remedy:
          'Check that `docker info` answers on the server; if it does not, look at the log of dockerd there. `connect-timeout` gives it more time.',
      },
    )
  }
}
