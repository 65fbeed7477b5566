import { setMaxListeners } from 'node:events'
import { Backend } from '../backend/backend.ts'
import { connect } from './connection.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { offlineLogin } from './offline.ts'

/** Removes a stack, and waits until nothing of it is left. */
export async function remove(context: CommandContext): Promise<CommandResult> {
  const { inputs, log, journal, deadline, cancelled, progress } = context
  const signal = AbortSignal.any([cancelled, deadline.signal])
  setMaxListeners(0, signal, cancelled)
  const { stackName } = inputs
  if (stackName === undefined) throw new Error('readInputs answers a name for this command')
  progress.stackName = stackName
  offlineLogin(context)

  log.group('Connection')
  progress.doing = 'connecting to the manager'
  const connection = await connect(context, signal)
  try {
    log.group(`Remove stack ${stackName}`)
    const backend = new Backend(connection.engine, {
      log: (line) => log.info(line),
      now: connection.now,
      journal,
      signal,
    })
    await backend.removeStack(stackName)
    return { status: 'removed' }
  } finally {
    log.endGroup()
    await connection.close()
  }
}
