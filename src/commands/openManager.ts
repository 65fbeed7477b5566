import { requireManager } from '../backend/manager.ts'
import { openLine } from '../engine/dockerEngine.ts'
import { engineOver, type Line } from '../engine/line.ts'
import { DeployError } from '../errors.ts'
import { steadyNow } from '../steadyNow.ts'
import type { SystemInfo } from '../swarm/info.ts'
import { openTunnel } from '../tunnel/openTunnel.ts'
import type { TunnelSettings } from '../tunnel/settings.ts'

/** A manager that answers and can change its swarm. */
export interface Manager {
  readonly line: Line
  readonly info: SystemInfo
  /** `steadyNow()` before and after the call that brought `info`. */
  readonly asked: readonly [before: number, after: number]
  /** How it is reached: `ssh://deploy@host, unix socket /var/run/docker.sock`. */
  readonly description: string
  close(): Promise<void>
}

export interface OpenManager extends Omit<TunnelSettings, 'signal'> {
  readonly signal: AbortSignal
  /** Told what the engine says of itself, also where it is no manager. */
  readonly onInfo?: (info: SystemInfo) => void
}

/**
 * Opens the way to an engine and asks who it is, both within `connectTimeoutMs`. Rejects with a DeployError (those of openTunnel, and
 * `not-a-manager`), an EngineError or the signal's reason, and then leaves nothing open.
 */
export async function openManager({ onInfo, ...settings }: OpenManager): Promise<Manager> {
  const { connectTimeoutMs: within, signal } = settings
  const began = performance.now()
  const tunnel = await openTunnel(settings)
  try {
    const line = openLine(tunnel.agent)
    const before = steadyNow()
    const left = within - (performance.now() - began)
    const info = await firstAnswer(line, tunnel.description, within, left, signal)
    const asked = [before, steadyNow()] as const
    onInfo?.(info)
    requireManager(info)
    return { line, info, asked, description: tunnel.description, close: () => tunnel.close() }
  } catch (error) {
    await tunnel.close()
    throw error
  }
}

/** An engine that hangs takes connections and answers nothing: what is left (ms) of the time for connecting bounds that as well. */
async function firstAnswer(
  line: Line,
  description: string,
  within: number,
  left: number,
  signal: AbortSignal,
): Promise<SystemInfo> {
  const late = AbortSignal.timeout(Math.max(1, Math.ceil(left)))
  try {
    return await engineOver(line).info({ signal: AbortSignal.any([signal, late]) })
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
