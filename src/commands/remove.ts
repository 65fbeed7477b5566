import { setTimeout as sleep } from 'node:timers/promises'
import type { Backend } from '../backend/backend.ts'
import type { Removal } from '../backend/planRemoval.ts'
import { stillThere } from '../backend/removeStack.ts'
import type { Remains } from '../backend/stackRemains.ts'
import { awaitRemoval, type RemovalEnd } from './awaitRemoval.ts'
import { backendOf } from './backendOf.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { lateRemedy } from './lateRemedy.ts'
import { offlineLogin } from './offline.ts'
import { onManager } from './onManager.ts'
import { createProgressLog } from './progressLog.ts'
import { remainsText } from './remainsText.ts'

/** Removes a stack, and waits until nothing of it is left: then its volumes, where asked for, and last what is recorded of it. */
export async function remove(context: CommandContext): Promise<CommandResult> {
  const { inputs, log, journal, progress } = context
  const { stackName: name } = inputs
  if (name === undefined) throw new Error('readInputs answers a name for this command')
  progress.stackName = name
  offlineLogin(context)

  try {
    return await onManager(context, async (connection, signal) => {
      log.group(`Remove stack ${name}`)
      progress.doing = 'removing the stack'
      const backend = await backendOf(context, connection, { signal })
      const removal = await backend.planRemoval(name, inputs.removeVolumes)
      if (removal.isAbsent) log.info(`There is no stack ${name} on this swarm.`)
      const result = inputs.wait ? await sweepUntilGone(context, backend, name) : await removeOnce(backend, name)
      return result ?? (await removeRest(context, backend, removal))
    })
  } finally {
    progress.changes = journal.written()
  }
}

// --- Internal helpers ---

async function removeOnce(backend: Backend, name: string): Promise<CommandResult | undefined> {
  const remains = await backend.sweepOf(name)()
  return remains.objects.some(({ refusal }) => refusal !== undefined) ? refused(name, remains) : undefined
}

async function sweepUntilGone(
  { log, deadline, cancelled }: CommandContext,
  backend: Backend,
  name: string,
): Promise<CommandResult | undefined> {
  const { say, trouble } = createProgressLog(log, () => performance.now())
  const { kind, remains } = await awaitRemoval({
    sweep: backend.sweepOf(name),
    now: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    deadline,
    cancelled,
    onRemains: (left) => say(`still there: ${remainsText(left)}${graceText(left)}`),
    onTrouble: trouble,
  })
  if (kind === 'gone') return undefined
  return kind === 'stuck' && remains !== undefined ? refused(name, remains) : timedOut(name, { kind, remains })
}

/** What a stack leaves behind that is no part of it any more. */
async function removeRest(context: CommandContext, backend: Backend, removal: Removal): Promise<CommandResult> {
  const { inputs, log, warn } = context
  const { namespace, volumes, node, otherNodes } = removal
  if (!inputs.removeVolumes) {
    if (volumes.length > 0) {
      log.info(
        `Volumes stay on ${node}: ${volumes.join(', ')}. \`remove-volumes: true\` removes them and what is in them.`,
      )
    }
  } else {
    context.progress.doing = 'removing the volumes'
    const kept = await backend.removeVolumes(removal)
    const gone = volumes.filter((volume) => !kept.some(({ name }) => name === volume))
    if (gone.length > 0) log.info(`Removed ${gone.length === 1 ? 'volume' : 'volumes'} on ${node}: ${gone.join(', ')}`)
    if (otherNodes.length > 0) {
      warn({
        severity: 'warning',
        code: 'engine',
        message: `volumes of the stack ${namespace} were looked for on ${node} alone; ${otherNodes.join(', ')} can't be reached from there, and may have more`,
        remedy: `Run this on each of them: docker volume ls -q --filter label=com.docker.stack.namespace=${namespace} | xargs -r docker volume rm`,
      })
    }
    const [first] = kept
    if (first !== undefined) {
      return {
        status: 'failed',
        failure: {
          code: 'engine',
          message: `the stack ${namespace} is removed, but not ${kept.length === 1 ? 'its volume' : `${kept.length} of its volumes`}: ${kept.map(({ name, reason }) => `${name} (${reason})`).join(', ')}`,
          remedy: `\`docker ps -a --filter volume=${first.name}\` on ${node} shows which container has it; remove that, then run this again.`,
          problems: [],
        },
      }
    }
  }
  context.progress.doing = 'removing the release records'
  await backend.removeRecords(removal)
  return { status: 'removed' }
}

function refused(name: string, { objects }: Remains): CommandResult {
  const { code, message, remedy } = stillThere(name, objects)
  return { status: 'failed', failure: { code, message, remedy, problems: [] } }
}

function timedOut(name: string, { remains }: RemovalEnd): CommandResult {
  const left = remains === undefined ? 'could not be read' : remainsText(remains)
  const refusals = remains?.objects.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal.message])) ?? []
  return {
    status: 'timed-out',
    failure: {
      code: 'timeout',
      message: `the stack ${name} is not gone yet; what is left: ${[left, ...refusals].join('; ')}`,
      remedy: lateRemedy(remains),
      problems: [],
    },
  }
}

/** The longest time that a container may take to stop, where one has to be waited for. */
function graceText({ tasks }: Remains): string {
  if (tasks.length === 0) return ''
  const longest = Math.max(...tasks.map(({ graceMs }) => graceMs))
  return ` (a container has up to ${Math.round(longest / 1000)} s to stop)`
}
