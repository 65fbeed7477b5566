import type { CommandContext, CommandResult } from './context.ts'

/** What puts back what a run has written: all of it, where a release record allows that. */
export function wayBack(revision: number | undefined): string {
  return revision === undefined
    ? 'To put a service back: `docker service rollback <service>` on a manager.'
    : `To put the stack back: \`command: rollback\` with \`revision: ${revision}\`. A single service: \`docker service rollback <service>\` on a manager.`
}

/** Names the way back from a deployment that failed and stays as it is. */
export function withWayBack({ inputs, journal, log, progress }: CommandContext, result: CommandResult): CommandResult {
  const { failure } = result
  if (failure === undefined || !journal.wroteAnything || inputs.onFailure !== 'none') return result
  if (progress.wayBack === undefined) return result
  const advice = wayBack(progress.wayBack)
  log.info(advice)
  return failure.remedy === undefined
    ? result
    : { ...result, failure: { ...failure, remedy: `${failure.remedy} ${advice}` } }
}
