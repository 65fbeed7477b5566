import { setMaxListeners } from 'node:events'
import { type Connection, connect } from './connection.ts'
import type { CommandContext } from './context.ts'

/**
 * Connects to a manager, does the work, and closes the connection whatever becomes of it.
 * @param work is also given the signal that ends its calls: the run was cancelled, or its time is up
 */
export async function onManager<T>(
  context: CommandContext,
  work: (connection: Connection, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { log, deadline, cancelled, progress } = context
  const signal = AbortSignal.any([cancelled, deadline.signal])
  // Every call under way listens to it: Node's warning of a leak above ten is about something else.
  setMaxListeners(0, signal, cancelled)
  log.group('Connection')
  progress.doing = 'connecting to the manager'
  const connection = await connect(context, signal)
  try {
    return await work(connection, signal)
  } finally {
    log.endGroup()
    await connection.close()
  }
}
