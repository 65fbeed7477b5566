import { setTimeout as sleep } from 'node:timers/promises'
import type { ListedStack } from '../backend/listStacks.ts'
import type { Snapshot } from '../health/verdict.ts'
import type { StackOutcome } from '../report/outcome.ts'
import { firstLook } from '../rollout/firstLook.ts'
import { unscopedName } from '../swarm/names.ts'
import { backendOf } from './backendOf.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { offlineLogin } from './offline.ts'
import { onManager } from './onManager.ts'
import { createProgressLog } from './progressLog.ts'
import { standingVerdict } from './standingVerdict.ts'

/** One look at all stacks of the swarm, each judged as `command: status` judges one. Nothing is changed. */
export async function list(context: CommandContext): Promise<CommandResult> {
  const { log, progress } = context
  offlineLogin(context)
  return onManager(context, async (connection, signal) => {
    log.group('List the stacks')
    progress.doing = 'looking at the stacks'
    const backend = await backendOf(context, connection, { signal })
    const { stacks, snapshot } = await firstLook({
      read: () => backend.listStacks(),
      sleep: (ms, until) => sleep(ms, undefined, { signal: until }),
      signal,
      onTrouble: createProgressLog(log).trouble,
    })
    progress.stacks = stacks.map((stack) => outcomeOf(context, stack, snapshot))
    log.info(`${stacks.length} ${stacks.length === 1 ? 'stack' : 'stacks'}`)
    return { status: 'listed' }
  })
}

// --- Internal helpers ---

function outcomeOf({ inputs }: CommandContext, stack: ListedStack, snapshot: Snapshot): StackOutcome {
  const { name, services, owners, revision, release } = stack
  const verdicts = services.map((service) =>
    standingVerdict(inputs, { key: unscopedName(name, service), name: service }, snapshot),
  )
  const well = verdicts.filter(({ condition }) => condition === 'converged').length
  const worst =
    verdicts.find(({ condition }) => condition === 'failed') ??
    verdicts.find(({ condition }) => condition === 'progressing')
  const counts = `${well} of ${services.length} services converged`
  return {
    name,
    services: services.length,
    owner: owners.join(', '),
    revision,
    release,
    status:
      services.length === 0
        ? 'absent'
        : worst === undefined
          ? 'healthy'
          : worst.condition === 'failed'
            ? 'degraded'
            : 'progressing',
    health:
      services.length === 0
        ? 'no service is left'
        : worst === undefined
          ? counts
          : `${counts}; ${worst.key}: ${worst.sentence}`,
  }
}
