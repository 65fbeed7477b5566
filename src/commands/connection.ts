import { setMaxListeners } from 'node:events'
import { type Engine, EngineError } from '../engine/engine.ts'
import { lastingLine } from '../engine/lastingLine.ts'
import { engineOver } from '../engine/line.ts'
import { managerClock } from '../engine/managerClock.ts'
import { DeployError, messageOf } from '../errors.ts'
import type { SystemInfo } from '../swarm/info.ts'
import { describeEndpoint, type Endpoint } from '../tunnel/endpoint.ts'
import type { CommandContext } from './context.ts'
import { type Kept, managerKeeper } from './managerKeeper.ts'
import { type FailedEndpoint, noManagerError } from './noManagerError.ts'
import { type Manager, type OpenManager, openManager } from './openManager.ts'
import { sshSettings } from './sshSettings.ts'

export interface Connection {
  /** Goes on after a lost connection. Calls that bring no signal of their own end with the run's time. */
  readonly engine: Engine
  /** The cluster's id: it stays the same whichever manager is asked. */
  readonly swarmId: string
  /** Milliseconds since the epoch by the manager's clock. */
  readonly now: () => number
  /** From now on this bounds those calls: a rollback has a time of its own. */
  prolong(signal: AbortSignal): void
  close(): Promise<void>
}

/** A timer of more (ms) fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * Opens the way to the first endpoint that answers as a manager which can change its swarm, and keeps it open. Each that does not is told
 * with its reason; throws a DeployError where none does.
 */
export async function connect(context: CommandContext, signal: AbortSignal): Promise<Connection> {
  const { endpoints } = context.inputs
  const open = opener(context)
  const failed: FailedEndpoint[] = []
  for (const index of endpoints.keys()) {
    try {
      const first = { index, manager: await open(index, signal, (info) => tellOf(context, index, info)) }
      const { info, description } = first.manager
      context.log.info(`Manager ${info.Name}, engine ${info.ServerVersion}, over ${description}`)
      failed.forEach(warnOfHostKey(context))
      return keptConnection(context, first, open)
    } catch (error) {
      // One endpoint alone speaks for itself. What is no finding about an endpoint ends the run.
      if (endpoints.length === 1 || signal.aborted || !isRefusal(error)) throw error
      const failure = { endpoint: nameOf(context, index), error: asFinding(error) }
      failed.push(failure)
      context.progress.manager = undefined
      context.log.info(
        `Manager ${index + 1} of ${endpoints.length}, ${failure.endpoint}, is not used: ${failure.error.message}`,
      )
    }
  }
  throw noManagerError(failed)
}

// --- Internal helpers ---

function keptConnection(context: CommandContext, first: Kept, open: ReturnType<typeof opener>): Connection {
  const { inputs, log, progress, cancelled } = context
  const { info, asked } = first.manager
  let bound = context.deadline.signal
  // Every call under way listens to it: Node's warning of a leak above ten is about something else.
  setMaxListeners(0, bound, cancelled)
  const keeper = managerKeeper(first, {
    count: inputs.endpoints.length,
    nameOf: (index) => nameOf(context, index),
    open: (index, signal) => ofSwarm(open(index, signal), info.Swarm),
    log: (line) => log.info(line),
    onOutage: (outage) => {
      progress.outage = outage
    },
    onManager: ({ index, manager }) => tellOf(context, index, manager.info),
    cancelled,
  })
  return {
    engine: engineOver(lastingLine(keeper, { bound: () => bound })),
    swarmId: info.Swarm.Cluster?.ID ?? '',
    now: managerClock(info, ...asked),
    prolong(signal) {
      setMaxListeners(0, signal)
      bound = signal
    },
    close: () => keeper.close(),
  }
}

function tellOf({ progress }: CommandContext, index: number, info: SystemInfo): void {
  progress.manager = `${index + 1} ${info.Name}`
  progress.engineVersion = `${info.ServerVersion ?? ''}`
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

/** Opens the way to an endpoint of the list, by its index. */
function opener(
  context: CommandContext,
): (index: number, signal: AbortSignal, onInfo?: OpenManager['onInfo']) => Promise<Manager> {
  const { inputs, log, warn } = context
  const said = new Set<string>()
  const once = (say: (text: string) => void) => (text: string) => {
    if (!said.has(text)) say(text)
    said.add(text)
  }
  return (index, signal, onInfo) =>
    openManager({
      endpoint: endpointAt(context, index),
      ssh: sshSettings(context),
      tls: inputs.tls,
      connectTimeoutMs: Math.min(inputs.connectTimeout, LONGEST_TIMER),
      warn: once((message) => warn({ severity: 'warning', code: 'connection', message })),
      say: once((text) => log.info(text)),
      signal,
      ...(onInfo && { onInfo }),
    })
}

/** Another swarm than the one that this run has looked at is not gone on with. */
async function ofSwarm(opening: Promise<Manager>, swarm: SystemInfo['Swarm']): Promise<Manager> {
  const manager = await opening
  const { info, description } = manager
  const [found, wanted] = [info.Swarm.Cluster?.ID, swarm.Cluster?.ID]
  if (found === wanted) return manager
  await manager.close()
  throw new DeployError(
    'connection',
    `The engine behind ${description} is a manager of another swarm (${found}) than the one this run began with (${wanted}).`,
    { remedy: 'Let all lines of `host` name managers of one swarm.' },
  )
}

function endpointAt({ inputs }: CommandContext, index: number): Endpoint {
  const endpoint = inputs.endpoints[index]
  if (endpoint === undefined) throw new DeployError('internal', `There is no endpoint ${index}.`)
  return endpoint.kind === 'ssh' ? { ...endpoint, dockerSocket: inputs.dockerSocket } : endpoint
}

function nameOf(context: CommandContext, index: number): string {
  return describeEndpoint(endpointAt(context, index))
}
