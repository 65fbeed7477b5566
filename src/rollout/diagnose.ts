import type { Engine, LogLine } from '../engine/engine.ts'
import { messageOf } from '../errors.ts'
import { byCreation } from '../health/instant.ts'
import { nodeName } from '../health/nodes.ts'
import { remedies } from '../health/remedies.ts'
import { isMeantToLive } from '../health/slots.ts'
import type { Snapshot, Verdict } from '../health/verdict.ts'
import { exitCodeOf, slotName } from '../health/words.ts'
import type { Diagnosis, TaskStory } from '../report/outcome.ts'
import type { Task } from '../swarm/task.ts'

/** The stories of so many tasks are told. */
const TOLD = 5

/** A log that does not come within this (ms) is done without. */
const LOG_WITHIN = 3000

/**
 * Why a service failed, or did not converge in time: its newest failed tasks with what Swarm says of each and the end of its log, then the tasks that
 * are still on their way. Never rejects: a log that cannot be had is noted.
 *
 * @param options `logLines` 0 reads no log
 */
export async function diagnose(
  engine: Pick<Engine, 'taskLogs'>,
  verdict: Verdict,
  snapshot: Snapshot,
  options: { readonly logLines: number; readonly signal?: AbortSignal | undefined },
): Promise<Diagnosis> {
  const tasks = tasksToTell(verdict, snapshot)
  const stories = await Promise.all(
    tasks.map(async (task): Promise<TaskStory> => {
      const exitCode = exitCodeOf(task)
      return {
        id: task.ID,
        name: slotName(task, verdict.key, verdict.mode),
        node: nodeName(snapshot.nodes, task.NodeID),
        state: task.Status.State,
        at: task.Status.Timestamp,
        ...(exitCode === undefined ? {} : { exitCode }),
        error: task.Status.Err ?? '',
        ...(await logOf(task, engine, options)),
      }
    }),
  )
  return {
    code: verdict.code ?? 'timeout',
    sentence: verdict.sentence,
    remedy: remedyOf(verdict),
    tasks: stories,
  }
}

/** What usually mends it: advice for this very error, else the code's; for an update that Swarm gave up, first that of the tasks' failure. */
function remedyOf(verdict: Verdict): string {
  const general = remedies[verdict.code ?? 'timeout']
  if (verdict.cause !== undefined) return `${verdict.remedy ?? remedies[verdict.cause]} ${general}`
  return verdict.remedy ?? general
}

function tasksToTell(verdict: Verdict, snapshot: Snapshot): readonly Task[] {
  const service = snapshot.services.find((candidate) => candidate.Spec.Name === verdict.name)
  const failed = [...verdict.failures].sort(byCreation).reverse()
  const pending = snapshot.tasks
    .filter((task) => task.ServiceID === service?.ID && isMeantToLive(task) && task.Status.State !== 'running')
    .filter((task) => task.Status.State !== 'complete' && !failed.some(({ ID }) => ID === task.ID))
    .sort(byCreation)
    .reverse()
  return [...failed, ...pending].slice(0, TOLD)
}

async function logOf(
  task: Task,
  engine: Pick<Engine, 'taskLogs'>,
  options: { readonly logLines: number; readonly signal?: AbortSignal | undefined },
): Promise<{ readonly logs: readonly LogLine[]; readonly logsNote?: string }> {
  if (options.logLines <= 0)
    return {
      logs: [],
      logsNote: 'the log is left out: `log-lines` is 0, as it is by default where everyone can read it',
    }
  if ((task.Status.ContainerStatus?.ContainerID ?? '') === '') return { logs: [], logsNote: 'no container was created' }
  const late = AbortSignal.timeout(LOG_WITHIN)
  const signal = options.signal === undefined ? late : AbortSignal.any([late, options.signal])
  try {
    const logs = await Promise.race([engine.taskLogs(task.ID, options.logLines, { signal }), rejection(signal)])
    return logs.length === 0 ? { logs, logsNote: 'the container wrote nothing' } : { logs }
  } catch (error) {
    const why = late.aborted ? `nothing came within ${LOG_WITHIN / 1000} s` : messageOf(error)
    return { logs: [], logsNote: `the log could not be read: ${why}` }
  }
}

/** Ends the wait even where a call does not heed its signal. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => reject(signal.reason)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
