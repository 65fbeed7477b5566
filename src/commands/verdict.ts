import type { Deployment } from '../backend/applyPlan.ts'
import { loginRemedy, refusedLogin, type Unresolved } from '../backend/unresolved.ts'
import type { StackSpec } from '../convert/stackSpec.ts'
import type { Engine } from '../engine/engine.ts'
import { remedies } from '../health/remedies.ts'
import type { Verdict } from '../health/verdict.ts'
import type { Failure, ServiceOutcome } from '../report/outcome.ts'
import { timeoutSentence } from '../rollout/timeout.ts'
import type { WatchResult } from '../rollout/watch.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { explain, failureOf } from './explain.ts'
import { tellWarnings } from './tellWarnings.ts'

/** Turns the end of a watch into the run's result: asks why where something did not converge. */
export async function verdictOf(
  context: CommandContext,
  engine: Engine,
  spec: StackSpec,
  deployment: Deployment,
  { kind, verdicts: seen, snapshot, trouble }: WatchResult,
  secondsOf: (name: string) => number | undefined,
): Promise<CommandResult> {
  const { progress } = context
  const sources = new Map(spec.services.map((service) => [service.name, service]))
  const unresolved = new Map(deployment.services.map((service) => [service.name, service.unresolved]))
  const verdicts = seen.map((verdict) =>
    withRegistryAnswer(verdict, sources.get(verdict.name)?.image, unresolved.get(verdict.name)),
  )
  tellWarnings(context, verdicts, spec)
  const pending = kind === 'timed-out' ? ['failed', 'progressing'] : ['failed']
  progress.services = await explain(context, engine, verdicts, snapshot, {
    isUnwell: ({ condition }) => pending.includes(condition),
    spec,
    secondsOf,
  })
  // The answer to why may have been cut off: what is known of the services is told, and that nobody waited for the rest.
  if (kind !== 'converged' && context.cancelled.aborted) throw context.cancelled.reason
  if (kind === 'converged') return { status: deployment.changes.length === 0 ? 'unchanged' : 'converged' }
  return kind === 'timed-out'
    ? { status: 'timed-out', failure: timedOut(progress.services, verdicts, trouble) }
    : { status: 'failed', failure: failureOf(progress.services) }
}

/** A node says only that there is no such image. Why not is known from what the registry answered before. */
function withRegistryAnswer(verdict: Verdict, image = '', unresolved?: Unresolved): Verdict {
  const isPull = verdict.code === 'image-pull' || verdict.cause === 'image-pull'
  if (!isPull || unresolved === undefined) return verdict
  const why = refusedLogin(image, unresolved)
  return {
    ...verdict,
    sentence: `${verdict.sentence}; ${why === undefined ? 'its digest could not be looked up' : why}: ${unresolved.reason}`,
    remedy: loginRemedy(image, unresolved) ?? verdict.remedy,
  }
}

function timedOut(
  services: readonly ServiceOutcome[],
  verdicts: readonly Verdict[],
  trouble: WatchResult['trouble'],
): Failure {
  const first = services.find(({ state }) => state !== 'converged')
  // What a service was stuck at says more than that the time was up, which the status says.
  const isStuck = trouble === undefined && (first?.code === 'stalled' || first?.code === 'network')
  const code = isStuck ? first.code : 'timeout'
  return {
    code,
    message:
      trouble === undefined
        ? timeoutSentence(verdicts)
        : `the manager could not be asked any more when the time was up (${trouble.message}); before that: ${timeoutSentence(verdicts)}`,
    remedy: trouble === undefined ? remedies[code] : remedies.connection,
    service: first?.name,
    position: first?.position,
    problems: [],
  }
}
