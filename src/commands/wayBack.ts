import type { CommandContext, CommandResult } from './context.ts'

/** What puts back what a run has written: all of it, where a release record allows that. */
export function wayBack(revision: number | undefined): string {
  return revision === undefined
    ? 'To put a service back: `docker service rollback <service>` on a manager.'
    : `To put the stack back: \`command: rollback\` with \`revision: ${revision}\`. A single service: \`docker service rollback <service>\` on a manager.`
}

/** The same where a part of it is back: for that part Swarm's own rollback would be the way to what has failed. */
export function wayOn(revision: number | undefined): string {
  const single = '`docker service rollback <service>` on a manager, only for a service that is not back yet.'
  return revision === undefined
    ? `To go on putting back: ${single}`
    : `To put back the rest: \`command: rollback\` with \`revision: ${revision}\`. A single service: ${single}`
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
