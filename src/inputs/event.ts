// What the event that started the workflow says. Its payload is written by GitHub, but parts of it by whoever opened the pull
// request: nothing of it is ever shown or run.

export interface EventFacts {
  /** Whether the payload could be read at all. */
  readonly isKnown: boolean
  /** Undefined where the payload does not tell. */
  readonly publicRepository: boolean | undefined
  /** The commit that a status is for: the head of a pull request, not its merge commit; else undefined, and `$GITHUB_SHA` is it. */
  readonly headSha: string | undefined
  /** The number of the pull request that the event is about. */
  readonly pullRequest: number | undefined
  /** Of a privileged event (`pull_request_target`, `workflow_run`): whether its commit is another repository's, if that can be told. */
  readonly head: 'own' | 'foreign' | 'unknown'
}

/** `payload` is the JSON text at `GITHUB_EVENT_PATH`. */
export function eventFacts(eventName: string | undefined, payload: string | undefined): EventFacts {
  const event = parsed(payload)
  const repository = field(event, 'repository')
  return {
    isKnown: typeof event === 'object' && event !== null,
    publicRepository: isPublic(repository),
    headSha: headSha(event),
    pullRequest: pullRequest(event),
    head: headOf(eventName, event, repository),
  }
}

function headSha(event: unknown): string | undefined {
  const heads = [
    field(field(field(event, 'pull_request'), 'head'), 'sha'),
    field(field(event, 'workflow_run'), 'head_sha'),
  ]
  return heads.find((sha) => typeof sha === 'string' && /^[0-9a-f]{40,64}$/.test(sha)) as string | undefined
}

/** A comment on a pull request comes as one on an issue. */
function pullRequest(event: unknown): number | undefined {
  const issue = field(event, 'issue')
  const about = field(event, 'pull_request') ?? (field(issue, 'pull_request') === undefined ? undefined : issue)
  const number = field(about, 'number')
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

function isPublic(repository: unknown): boolean | undefined {
  const visibility = field(repository, 'visibility')
  if (typeof visibility === 'string') return visibility === 'public'
  const isPrivate = field(repository, 'private')
  return typeof isPrivate === 'boolean' ? !isPrivate : undefined
}

function headOf(eventName: string | undefined, event: unknown, repository: unknown): EventFacts['head'] {
  let head: unknown
  if (eventName === 'pull_request_target') head = field(field(field(event, 'pull_request'), 'head'), 'repo')
  else if (eventName === 'workflow_run') head = field(field(event, 'workflow_run'), 'head_repository')
  else return 'own'
  const ownName = field(repository, 'full_name')
  if (head === undefined || typeof ownName !== 'string') return 'unknown'
  // A deleted fork has no head repository, and is no less foreign.
  return field(head, 'full_name') === ownName ? 'own' : 'foreign'
}

function parsed(payload: string | undefined): unknown {
  try {
    return JSON.parse(payload ?? '')
  } catch {
    return undefined
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
