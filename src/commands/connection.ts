import { requireManager } from '../backend/manager.ts'
import { openEngine } from '../engine/dockerEngine.ts'
import type { Engine } from '../engine/engine.ts'
import { managerClock } from '../engine/managerClock.ts'
import { DeployError } from '../errors.ts'
import type { SystemInfo } from '../swarm/info.ts'
import { openTunnel } from '../tunnel/openTunnel.ts'
import type { CommandContext } from './context.ts'
import { sshSettings } from './sshSettings.ts'

export interface Connection {
  readonly engine: Engine
  /** Milliseconds since the epoch by the manager's clock. */
  readonly now: () => number
  close(): Promise<void>
}

/** A timer of more (ms) fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Opens the way to a manager and asks whether it is one. Throws a DeployError. */
export async function connect(context: CommandContext, signal: AbortSignal): Promise<Connection> {
  const { inputs, log, warn, progress } = context
  const [endpoint] = inputs.endpoints
  if (endpoint === undefined) throw new Error('readInputs answers at least one endpoint')
  const within = Math.min(inputs.connectTimeout, LONGEST_TIMER)
  const tunnel = await openTunnel({
    endpoint: endpoint.kind === 'ssh' ? { ...endpoint, dockerSocket: inputs.dockerSocket } : endpoint,
    ssh: sshSettings(context),
    connectTimeoutMs: within,
    warn: (message) => warn({ severity: 'warning', code: 'connection', message }),
    signal,
  })
  try {
    const engine = openEngine(tunnel.agent)
    const askedAt = Date.now()
    const info = await firstAnswer(engine, tunnel.description, within, signal)
    const now = managerClock(info, askedAt, Date.now())
    progress.manager = `1 ${info.Name}`
    progress.engineVersion = `${info.ServerVersion ?? ''}`
    requireManager(info)
    log.info(`Manager ${info.Name}, engine ${info.ServerVersion}, over ${tunnel.description}`)
    return { engine, now, close: () => tunnel.close() }
  } catch (error) {
    await tunnel.close()
    throw error
  }
}

/** An engine that hangs takes connections and answers nothing: the time for connecting bounds that as well. */
async function firstAnswer(
  engine: Engine,
  description: string,
  within: number,
  signal: AbortSignal,
): Promise<SystemInfo> {
  const late = AbortSignal.timeout(Math.ceil(within))
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
