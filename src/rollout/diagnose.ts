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
import { type ContainerFacts, type ContainerOptions, containerFacts } from './containerFacts.ts'
import { orAborted, within } from './within.ts'

/** The stories of so many tasks are told. */
const TOLD = 5

/**
 * Why a service failed, or did not converge in time: its newest failed tasks with what Swarm says of each, the last word of its health
 * check and the end of its log, then the tasks that are still on their way. Never rejects: what cannot be had is noted.
 *
 * @param options `logLines` 0 shows nothing that a container wrote
 */
export async function diagnose(
  engine: Pick<Engine, 'taskLogs' | 'inspectContainer'>,
  verdict: Verdict,
  snapshot: Snapshot,
  options: ContainerOptions,
): Promise<Diagnosis> {
  const told = await Promise.all(
    tasksToTell(verdict, snapshot).map(async (task) => {
      const node = nodeName(snapshot.nodes, task.NodeID)
      const [facts, log] = await Promise.all([
        containerFacts(engine, task, node, options),
        logOf(task, engine, options),
      ])
      return { facts, story: { ...storyOf(task, node, verdict), ...log, ...healthOf(facts) } }
    }),
  )
  const known = told.some(({ facts }) => facts.outOfMemory) ? killedForMemory(verdict) : verdict
  return {
    code: known.code ?? 'timeout',
    sentence: known.sentence,
    remedy: remedyOf(known),
    tasks: told.map(({ story }) => story),
  }
}

function storyOf(task: Task, node: string, verdict: Verdict): Omit<TaskStory, 'logs'> {
  const exitCode = exitCodeOf(task)
  return {
    id: task.ID,
    name: slotName(task, verdict.key, verdict.mode),
    node,
    state: task.Status.State,
    at: task.Status.Timestamp,
    ...(exitCode === undefined ? {} : { exitCode }),
    error: task.Status.Err ?? '',
  }
}

function healthOf({ health, healthNote }: ContainerFacts): Pick<TaskStory, 'health' | 'healthNote'> {
  return { ...(health && { health }), ...(healthNote && { healthNote }) }
}

/** Swarm only says exit code 137; the container knows who killed it. */
function killedForMemory(verdict: Verdict): Verdict {
  const code = 'out-of-memory' as const
  return {
    ...verdict,
    ...(verdict.cause === undefined ? { code } : { cause: code }),
    sentence: `${verdict.sentence}; the kernel killed it for want of memory`,
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
  { logLines, signal }: Pick<ContainerOptions, 'logLines' | 'signal'>,
): Promise<{ readonly logs: readonly LogLine[]; readonly logsNote?: string }> {
  if (logLines <= 0)
    return {
      logs: [],
      logsNote:
        'the log is left out: `log-lines` is 0, as it is by default where everyone can read it; `docker service logs` on a manager shows it',
    }
  if ((task.Status.ContainerStatus?.ContainerID ?? '') === '') return { logs: [], logsNote: 'no container was created' }
  const limit = within(signal)
  try {
    const logs = await orAborted(engine.taskLogs(task.ID, logLines, { signal: limit.signal }), limit.signal)
    return logs.length === 0 ? { logs, logsNote: 'the container wrote nothing' } : { logs }
  } catch (error) {
    return { logs: [], logsNote: `the log could not be read: ${limit.reason ?? messageOf(error)}` }
  }
}
