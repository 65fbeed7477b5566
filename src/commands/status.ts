import { setTimeout as sleep } from 'node:timers/promises'
import { isReleaseRecord } from '../backend/releaseRecords.ts'
import { readSnapshot } from '../backend/snapshot.ts'
import type { StackSpec } from '../convert/stackSpec.ts'
import { DeployError } from '../errors.ts'
import type { Snapshot, Verdict } from '../health/verdict.ts'
import { releasesOf } from '../history/releases.ts'
import { stackNameProblem } from '../inputs/stackName.ts'
import { firstLook } from '../rollout/firstLook.ts'
import { RELEASE_LABEL, unscopedName } from '../swarm/names.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { explain, failureOf } from './explain.ts'
import { inManifestOrder, specOf } from './manifest.ts'
import { offlineLogin } from './offline.ts'
import { onManager } from './onManager.ts'
import { createProgressLog } from './progressLog.ts'
import { standingVerdict } from './standingVerdict.ts'
import { tellRevisions } from './tellRevisions.ts'
import { tellWarnings } from './tellWarnings.ts'

type Known = Pick<StackSpec, 'namespace' | 'services'>

/** One look at a stack as it stands: nothing is changed, and nothing waited for. Each service is judged by its live spec. */
export async function status(context: CommandContext): Promise<CommandResult> {
  const { log, progress } = context
  offlineLogin(context)
  const known = knownOf(context)
  progress.stackName = known.namespace

  return onManager(context, async ({ engine, now }, signal) => {
    log.group(`Status of stack ${known.namespace}`)
    progress.doing = 'looking at the stack'
    const progressLog = createProgressLog(log)
    const [snapshot, records] = await firstLook({
      read: (until) =>
        progressLog.awaiting(
          Promise.all([
            readSnapshot(engine, known.namespace, now, { signal: until }),
            engine.listConfigs({ label: [`${RELEASE_LABEL}=${known.namespace}`] }, { signal: until }),
          ]),
          until,
        ),
      sleep: (ms, until) => sleep(ms, undefined, { signal: until }),
      signal,
      onTrouble: progressLog.trouble,
    })
    const releases = releasesOf(known.namespace, records.filter(isReleaseRecord), (config, reason) =>
      log.info(`The release record ${config} can not be read: ${reason}`),
    )
    tellRevisions(progress, releases)
    if (snapshot.services.length === 0) return absent(known.namespace)
    const verdicts = verdictsOf(context, known, snapshot)
    progressLog.verdicts(verdicts, verdicts)
    tellWarnings(context, verdicts, known)
    progress.services = await explain(context, engine, verdicts, snapshot, {
      isUnwell: ({ condition }) => condition === 'failed',
      spec: known,
      secondsOf: () => undefined,
    })
    if (verdicts.some(({ condition }) => condition === 'failed'))
      return { status: 'degraded', failure: failureOf(progress.services) }
    return { status: verdicts.every(({ condition }) => condition === 'converged') ? 'healthy' : 'progressing' }
  })
}

// --- Internal helpers ---

/** The manifest's services in its order, then what else the stack has, by name. */
function verdictsOf(context: CommandContext, { namespace, services }: Known, snapshot: Snapshot): readonly Verdict[] {
  const declared = [...services].sort(inManifestOrder(context))
  const others = snapshot.services
    .map(({ Spec }) => Spec.Name ?? '')
    .filter((name) => !declared.some((one) => one.name === name))
    .sort()
    .map((name) => ({ key: unscopedName(namespace, name), name }))
  return [...declared, ...others].map((service) => standingVerdict(context.inputs, service, snapshot))
}

/** The stack's name, and what the manifest says of its services where there is one that can be read. */
function knownOf(context: CommandContext): Known {
  const { inputs, log, warn } = context
  if (inputs.manifest.length > 0) {
    try {
      return specOf({ ...context, warn: () => {}, log: { ...log, info: () => {} } }, []).spec
    } catch (error) {
      // Without it no line can be pointed at; the name is another matter.
      if (!(error instanceof DeployError) || inputs.stackName === undefined) throw error
      const [{ message, position } = error] = error.problems
      warn({
        severity: 'warning',
        code: error.code,
        message: `the manifest is not used, so a secret that it reads from a file may show in a container's log: ${message}`,
        position,
        remedy: 'Mend it, and give it the inputs that a deployment has; or show no logs: `log-lines: 0`.',
      })
    }
  }
  const [namespace, source] = inputs.stackName
    ? [inputs.stackName, 'the input `stack-name`']
    : [inputs.repositoryName, "the repository's name"]
  if (namespace === undefined) {
    throw new DeployError('input', 'The stack has no name: there is no `stack-name`, no manifest and no repository.', {
      remedy: 'Set `stack-name`.',
    })
  }
  const problem = stackNameProblem(namespace, source)
  if (problem !== undefined) throw new DeployError('input', problem.message, { remedy: problem.remedy })
  log.info(`Stack ${namespace} (${source}), without a manifest`)
  return { namespace, services: [] }
}

function absent(name: string): CommandResult {
  return {
    status: 'absent',
    failure: {
      code: 'missing-resource',
      message: `there is no service of a stack ${name} in this swarm`,
      remedy:
        'Deploy it first. If it should be there: `command: status` looked for the name above; `docker stack ls` on a manager lists the stacks.',
      problems: [],
    },
  }
}
