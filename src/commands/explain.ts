import type { StackSpec } from '../convert/stackSpec.ts'
import type { Engine } from '../engine/engine.ts'
import { remedies } from '../health/remedies.ts'
import type { Snapshot, Verdict } from '../health/verdict.ts'
import type { Failure, ServiceOutcome } from '../report/outcome.ts'
import { diagnose } from '../rollout/diagnose.ts'
import { orAborted, within } from '../rollout/within.ts'
import type { CommandContext } from './context.ts'
import { placeToBlame } from './placeToBlame.ts'

/** The outcomes of services, in the verdicts' order: those that are unwell with the reason why. */
export async function explain(
  context: Pick<CommandContext, 'inputs' | 'cancelled' | 'log'>,
  engine: Engine,
  verdicts: readonly Verdict[],
  snapshot: Snapshot | undefined,
  {
    isUnwell,
    spec,
    secondsOf,
  }: {
    readonly isUnwell: (verdict: Verdict) => boolean
    readonly spec: Pick<StackSpec, 'services'>
    readonly secondsOf: (name: string) => number | undefined
  },
): Promise<readonly ServiceOutcome[]> {
  const { inputs, cancelled: signal, log } = context
  if (inputs.logLinesHidden && verdicts.some(({ failures }) => failures.length > 0)) {
    log.info(
      'Container logs are left out, since everyone can read this one, as far as is known. To have them: `log-lines: 30`.',
    )
  }
  const unwell = verdicts.filter(isUnwell)
  if (unwell.length === 0 || snapshot === undefined)
    return verdicts.map((verdict) => serviceOutcome(verdict, spec, secondsOf))
  log.info(`Asking why: ${unwell.map(({ key }) => key).join(', ')}`)
  const localNode = await nodeOf(engine, signal)
  return Promise.all(
    verdicts.map(async (verdict): Promise<ServiceOutcome> => {
      if (!unwell.includes(verdict)) return serviceOutcome(verdict, spec, secondsOf)
      const diagnosis = await diagnose(engine, verdict, snapshot, { localNode, logLines: inputs.logLines, signal })
      // A container may know better than Swarm what a failure is.
      const known = verdict.condition === 'failed' ? { code: diagnosis.code, sentence: diagnosis.sentence } : {}
      return { ...serviceOutcome({ ...verdict, ...known }, spec, secondsOf), diagnosis }
    }),
  )
}

/** What a verdict says of a service, without the reasons behind it: also the state at which a run broke off. */
export function serviceOutcome(
  verdict: Verdict,
  spec: Pick<StackSpec, 'services'>,
  secondsOf: (name: string) => number | undefined,
): ServiceOutcome {
  const source = spec.services.find(({ name }) => name === verdict.name)
  return {
    name: verdict.key,
    mode: verdict.mode,
    image: verdict.image,
    running: verdict.running,
    desired: verdict.desired,
    completed: verdict.completed,
    state: verdict.condition,
    code: verdict.code,
    reason: verdict.sentence,
    seconds: secondsOf(verdict.name),
    position: source === undefined ? undefined : placeToBlame(source, verdict),
  }
}

/** The failure of a run is that of its first failed service. */
export function failureOf(services: readonly ServiceOutcome[]): Failure {
  const first = services.find(({ state }) => state === 'failed')
  if (first === undefined)
    return { code: 'internal', message: 'The watch failed without a failed service.', problems: [] }
  const code = first.code ?? 'internal'
  return {
    code,
    message: `service ${first.name}: ${first.reason}`,
    remedy: first.diagnosis?.remedy ?? remedies[code],
    service: first.name,
    position: first.position,
    problems: [],
  }
}

/** The node that the run talks to: only its containers can be asked. */
async function nodeOf(engine: Engine, cancelled: AbortSignal): Promise<string | undefined> {
  const { signal } = within(cancelled)
  try {
    return (await orAborted(engine.info({ signal }), signal)).Swarm.NodeID
  } catch {
    return undefined
  }
}
