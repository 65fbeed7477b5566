import type { GitHubAccess } from '../github/gitHub.ts'
import type { GitHubSettings } from '../github/settings.ts'
import type { EventFacts } from './event.ts'
import type { Environment, Reader } from './reader.ts'
import { stackNameProblem } from './stackName.ts'

/** What GitHub is to be told, and how it is reached. */
export interface GitHubInputs extends GitHubSettings, GitHubAccess {
  /** The stack's name, if an input says it and it can be one: it is known then, whatever else is wrong. */
  readonly stackName: string | undefined
}

/** Commands that leave a swarm as it is, and of which no commit can be said to have passed them. */
const UNTOLD: ReadonlySet<string> = new Set(['status', 'list'])

/** Also where other inputs are faulty: a status that waits for an end has to get one. */
export function gitHubInputs(reader: Reader, env: Environment, event: EventFacts): GitHubInputs {
  const token = reader.given('github-token') ?? ''
  const [owner = '', repo = ''] = (env.GITHUB_REPOSITORY ?? '').split('/')
  const command: string = reader.value('command')
  const name = command === 'list' ? undefined : reader.value('stack-name')
  const environment = reader.value('environment')
  const deployment = reader.value('deployment')
  if (deployment && environment === undefined) {
    reader.error(
      'the input `deployment` is true, and `environment` is not given',
      'Set `environment`, such as `production`.',
    )
  }
  const asked = { 'status-check': reader.value('status-check') === true, deployment, comment: reader.value('comment') }
  const unheard = Object.entries(asked).flatMap(([input, isAsked]) => (isAsked ? [`\`${input}\``] : []))
  if (token === '' && unheard.length > 0) {
    reader.warning(
      `GitHub is told nothing, although ${unheard.join(' and ')} ${unheard.length === 1 ? 'asks' : 'ask'} for it: the input \`github-token\` is empty`,
      "Leave `github-token` out, and the workflow's own token is used; or see whether the secret that it names exists.",
    )
  }
  return {
    tells: token !== '' && repo !== '' && !UNTOLD.has(command),
    token,
    stackName: name !== undefined && stackNameProblem(name, '') === undefined ? name : undefined,
    apiUrl: env.GITHUB_API_URL || undefined,
    owner,
    repo,
    statusCheck: reader.value('status-check'),
    deployment: deployment && command !== 'plan' && command !== 'remove',
    comment: reader.value('comment'),
    isPlan: command === 'plan',
    environment,
    environmentUrl: reader.value('environment-url'),
    sha: event.headSha ?? (env.GITHUB_SHA || undefined),
    pullRequest: event.pullRequest,
    runUrl: runUrl(env),
  }
}

function runUrl({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, ...env }: Environment): string | undefined {
  const { GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt } = env
  if (!server || !repository || !run) return undefined
  return `${server}/${repository}/actions/runs/${run}${attempt ? `/attempts/${attempt}` : ''}`
}
