import { requireManager } from '../backend/manager.ts'
import { openEngine } from '../engine/dockerEngine.ts'
import type { Engine } from '../engine/engine.ts'
import { managerClock } from '../engine/managerClock.ts'
import { openTunnel } from '../tunnel/openTunnel.ts'
import type { CommandContext } from './context.ts'
import { sshSettings } from './sshSettings.ts'

export interface Connection {
  readonly engine: Engine
  /** Milliseconds since the epoch by the manager's clock. */
  readonly now: () => number
  close(): Promise<void>
}

/** Opens the way to a manager and asks whether it is one. Throws a DeployError. */
export async function connect(context: CommandContext, signal: AbortSignal): Promise<Connection> {
  const { inputs, log, warn, progress } = context
  const [endpoint] = inputs.endpoints
  if (endpoint === undefined) throw new Error('readInputs answers at least one endpoint')
  const tunnel = await openTunnel({
    endpoint: endpoint.kind === 'ssh' ? { ...endpoint, dockerSocket: inputs.dockerSocket } : endpoint,
    ssh: sshSettings(context),
    connectTimeoutMs: inputs.connectTimeout,
    warn: (message) => warn({ severity: 'warning', code: 'connection', message }),
    signal,
  })
  try {
    const engine = openEngine(tunnel.agent)
    const askedAt = Date.now()
    const info = await engine.info({ signal })
    const now = managerClock(info, askedAt, Date.now())
    progress.manager = `1 ${info.Name}`
    progress.engineVersion = info.ServerVersion
    requireManager(info)
    log.info(`Manager ${info.Name}, engine ${info.ServerVersion}, over ${tunnel.description}`)
    return { engine, now, close: () => tunnel.close() }
  } catch (error) {
    await tunnel.close()
    throw error
  }
}
