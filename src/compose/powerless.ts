// Docker lets no false, zero or empty value of a later file override an earlier one. That is kept, but not in silence.
import type { Findings } from './findings.ts'
import type { Service } from './stack.ts'

type Read = (service: Service) => string | number | bigint | boolean | readonly string[] | undefined

const readers: Readonly<Record<string, Read>> = {
  command: ({ command }) => command,
  entrypoint: ({ entrypoint }) => entrypoint,
  hostname: ({ hostname }) => hostname,
  user: ({ user }) => user,
  working_dir: ({ workingDir }) => workingDir,
  init: ({ init }) => init,
  oom_score_adj: ({ oomScoreAdj }) => oomScoreAdj,
  read_only: ({ readOnly }) => readOnly,
  stdin_open: ({ stdinOpen }) => stdinOpen,
  tty: ({ tty }) => tty,
  stop_grace_period: ({ stopGracePeriod }) => stopGracePeriod,
  'healthcheck.disable': ({ healthcheck }) => healthcheck?.disable,
  'deploy.update_config.delay': ({ deploy }) => deploy.updateConfig?.delay,
  'deploy.update_config.max_failure_ratio': ({ deploy }) => deploy.updateConfig?.maxFailureRatio,
  'deploy.resources.limits.pids': ({ deploy }) => deploy.resources.limits?.pids,
  'deploy.placement.max_replicas_per_node': ({ deploy }) => deploy.placement.maxReplicasPerNode,
}

export function warnOfPowerless(base: Service, override: Service, findings: Findings): void {
  for (const [key, read] of Object.entries(readers)) {
    const position = override.places[key]
    const earlier = base.places[key]
    if (position === undefined || earlier === undefined || !isEmpty(read(override)) || isEmpty(read(base))) continue
    findings.warningAt(
      position,
      `${key} of the service ${base.name} is empty, zero or false here, which does not override the value at ${earlier.file}:${earlier.line}`,
      'Change the earlier file, or move the key from there into the files that need it.',
    )
  }
}

function isEmpty(value: ReturnType<Read>): boolean {
  return Array.isArray(value) ? value.length === 0 : !value
}
