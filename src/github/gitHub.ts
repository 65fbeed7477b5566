// GitHub's REST API as far as a deployment is told there. The one file that imports @actions/github.

import { cleanLine } from '../report/untrusted.ts'

/** Lower than the 65,536 that GitHub takes for a comment, and 140 for a status' description: the texts are cut before they get here. */
export interface CommitStatus {
  readonly context: string
  readonly state: 'pending' | 'success' | 'failure' | 'error'
  /** At most 140 characters. */
  readonly description: string
  readonly targetUrl: string | undefined
}

export interface DeploymentRequest {
  /** The commit. */
  readonly ref: string
  readonly environment: string
  readonly description: string
}

export interface DeploymentStatus {
  readonly state: 'in_progress' | 'success' | 'failure' | 'error'
  /** At most 140 characters. */
  readonly description: string
  readonly logUrl: string | undefined
  readonly environmentUrl: string | undefined
}

/** A comment of an issue or a pull request. */
export interface Comment {
  readonly id: number
  readonly author: string
  readonly body: string
}

/** One request each, but for `comments` and `login`; every method rejects with a `GitHubError`. */
export interface GitHub {
  setCommitStatus(sha: string, status: CommitStatus): Promise<void>
  /** Answers the deployment's id. Waits for no other status of the commit, and merges nothing. */
  createDeployment(request: DeploymentRequest): Promise<number>
  setDeploymentStatus(id: number, status: DeploymentStatus): Promise<void>
  /** All comments, oldest first. */
  comments(pullRequest: number): Promise<readonly Comment[]>
  createComment(pullRequest: number, body: string): Promise<Comment>
  /** Answers false where there is no such comment any more. */
  updateComment(id: number, body: string): Promise<boolean>
  /** One that is gone already counts as deleted. */
  deleteComment(id: number): Promise<void>
  /** Who the token's user is, as comments name it: `octocat`, or `github-actions[bot]`. */
  login(): Promise<string>
}

export interface GitHubAccess {
  readonly token: string
  /** `$GITHUB_API_URL`: GitHub Enterprise has one of its own. */
  readonly apiUrl: string | undefined
  readonly owner: string
  readonly repo: string
}

/** How long (ms) one request may take. */
const REQUEST_TIMEOUT = 10_000

/** As many comments as GitHub answers at once. */
const PAGE = 100

export type GitHubErrorKind = 'permission' | 'token' | 'rate-limit' | 'rejected' | 'server' | 'network'

/** A request that GitHub refused, or that never reached it. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError'
  readonly kind: GitHubErrorKind
  /** The answer's HTTP status, where there was an answer. */
  readonly status: number | undefined

  constructor(kind: GitHubErrorKind, message: string, cause?: unknown, status?: number) {
    super(message, { cause })
    this.kind = kind
    this.status = status
  }
}

/** Loads the client only here: a run that tells GitHub nothing need not pay for it. */
export async function connectGitHub({ token, apiUrl, owner, repo }: GitHubAccess): Promise<GitHub> {
  const { getOctokit } = await import('@actions/github')
  const silent = (): void => {}
  const octokit = getOctokit(token, {
    ...(apiUrl === undefined ? {} : { baseUrl: apiUrl.replace(/\/+$/, '') }),
    log: { debug: silent, info: silent, warn: silent, error: silent },
  })
  const { rest } = octokit
  const bounded = () => ({ request: { signal: AbortSignal.timeout(REQUEST_TIMEOUT) } })
  const common = () => ({ owner, repo, ...bounded() })
  return {
    async setCommitStatus(sha, { context, state, description, targetUrl }) {
      const url = targetUrl === undefined ? {} : { target_url: targetUrl }
      await told(rest.repos.createCommitStatus({ ...common(), sha, context, state, description, ...url }))
    },
    async createDeployment({ ref, environment, description }) {
      const { data } = await told(
        rest.repos.createDeployment({
          ...common(),
          ref,
          environment,
          description,
          auto_merge: false,
          required_contexts: [],
        }),
      )
      if ('id' in data) return data.id
      throw new GitHubError('rejected', `GitHub made no deployment: ${lineOf(data.message ?? 'it does not say why')}`)
    },
    async setDeploymentStatus(id, { state, description, logUrl, environmentUrl }) {
      const urls = {
        ...(logUrl === undefined ? {} : { log_url: logUrl }),
        ...(environmentUrl === undefined ? {} : { environment_url: environmentUrl }),
      }
      await told(rest.repos.createDeploymentStatus({ ...common(), deployment_id: id, state, description, ...urls }))
    },
    async comments(pullRequest) {
      const found: Comment[] = []
      // Page by page, each with a time of its own.
      for (let page = 1; ; page++) {
        const { data } = await told(
          rest.issues.listComments({ ...common(), issue_number: pullRequest, per_page: PAGE, page }),
        )
        found.push(...data.map(commentIn))
        if (data.length < PAGE) return found
      }
    },
    async createComment(pullRequest, body) {
      const { data } = await told(rest.issues.createComment({ ...common(), issue_number: pullRequest, body }))
      return commentIn(data)
    },
    updateComment: (id, body) => unlessGone(rest.issues.updateComment({ ...common(), comment_id: id, body })),
    async deleteComment(id) {
      await unlessGone(rest.issues.deleteComment({ ...common(), comment_id: id }))
    },
    async login() {
      try {
        const { data } = await told(rest.users.getAuthenticated(bounded()))
        return data.login
      } catch (error) {
        // An app's token, as the workflow's own is one, may not ask that; GraphQL answers it.
        if (!(error instanceof GitHubError) || error.kind !== 'permission') throw error
        const { viewer } = await told(
          octokit.graphql<{ viewer: { login: string } }>('query { viewer { login } }', bounded()),
        )
        return viewer.login
      }
    },
  }
}

// --- Internal helpers ---

async function told<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw asGitHubError(error)
  }
}

/** Whether what the request is about was there. */
async function unlessGone(request: Promise<unknown>): Promise<boolean> {
  try {
    await told(request)
    return true
  } catch (error) {
    if (error instanceof GitHubError && (error.status === 404 || error.status === 410)) return false
    throw error
  }
}

function commentIn(data: {
  readonly id: number
  readonly user?: { readonly login: string } | null
  readonly body?: string | undefined
}): Comment {
  return { id: data.id, author: data.user?.login ?? '', body: data.body ?? '' }
}

/** A proxy or a load balancer answers with a page of HTML. */
function lineOf(message: string): string {
  return cleanLine(message, 300)
}

function asGitHubError(error: unknown): GitHubError {
  if (error instanceof GitHubError) return error
  const message = lineOf(error instanceof Error ? error.message : String(error))
  const response = field(error, 'response')
  const status = field(response, 'status')
  if (typeof status !== 'number') {
    const late = error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name)
    return new GitHubError('network', late ? 'GitHub did not answer in time' : message, error)
  }
  return new GitHubError(kindOf(status, message, field(response, 'headers')), `${status} ${message}`, error, status)
}

/** Source: GitHub's REST documentation, "Rate limits" and "Troubleshooting": a limit is a 403 or 429, a hidden repository a 404. */
function kindOf(status: number, message: string, headers: unknown): GitHubErrorKind {
  const limited =
    status === 429 ||
    field(headers, 'retry-after') !== undefined ||
    field(headers, 'x-ratelimit-remaining') === '0' ||
    /rate limit/i.test(message)
  if (limited && (status === 403 || status === 429)) return 'rate-limit'
  if (status === 401) return 'token'
  if (status === 403 || status === 404) return 'permission'
  return status >= 500 ? 'server' : 'rejected'
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
